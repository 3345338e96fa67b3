import { afterEach, describe, expect, test } from 'vitest';
import type { ProvisionOrder } from '../../../domain/ironic/orders.ts';
import { sealUrl } from '../../../kube/objects/sealed-urls.ts';
import { anOrder } from '../../../test/builders/node.ts';
import { type ScriptedActivities, scriptActivities } from '../../../test/builders/scripted-activities.ts';
import { aNodeAnswer } from '../../../test/builders/scripted-ironic.ts';

let open: ScriptedActivities | undefined;
afterEach(async () => open?.close());

const NODE = '11111111-1111-4111-8111-111111111111';
const image = { url: 'http://images/a.raw', checksum: 'abc', checksumType: 'sha256' } as const;
const other = { ...image, url: 'http://images/b.raw' };
const info = { image_source: image.url, image_os_hash_algo: 'sha256', image_os_hash_value: 'abc' };
const userData = { name: 'm1', namespace: 'metal' };
const ORDER = { image, userData };
const RECORD = { image: image.url, customDeployMethod: '', data: { userData } };
/** In which the node was deployed, and another one of the same host. */
const attempt = 'uid-1 2026-01-01T00:00:00Z metal/m1';
const later = 'uid-1 2026-01-01T01:00:00Z metal/m1';
/** Ironic may describe an image in other words. */
const mirrored = { ...info, image_source: 'http://mirror/a.raw' };

/** The answer to an order for a node that is deployed, or being deployed; nothing may be requested. */
async function answerTo(order: Partial<ProvisionOrder>, instance_info: object, provision_state: string) {
  open = await scriptActivities([
    { status: 200, body: aNodeAnswer({ provision_state, instance_uuid: 'uid-1', instance_info }) },
  ]);
  const answer = await open.activities.deployNode({ ...anOrder({ nodeId: NODE }), retry: false, ...order });
  expect(open.asked()).toHaveLength(1);
  return answer;
}

const STATES = [
  ['active', 'done'],
  ['deploying', 'started'],
  ['wait call-back', 'started'],
] as const;

describe.each(STATES)('a node in %s that has its deployment on record', (state, kind) => {
  const recorded = (change: object) => ({ ...info, temper_deployment: { ...RECORD, ...change } });
  const signed = { ...image, url: 'https://images/a?sig=canary' };

  test.each<[string, Partial<ProvisionOrder>, object]>([
    ['has this one', ORDER, recorded({})],
    ['has this one, of which Ironic has another description', ORDER, { ...recorded({}), ...mirrored }],
    ['has this one with data that nobody knows, because it was adopted', ORDER, recorded({ data: undefined })],
    [
      'has this one, of a custom step',
      { customDeployMethod: 'install', userData },
      { temper_deployment: { ...RECORD, image: '', customDeployMethod: 'install' } },
    ],
    [
      'has this one, whose URL has a secret',
      { ...ORDER, image: signed },
      { ...recorded({ image: sealUrl('uid-1', signed.url) }), ...mirrored },
    ],
  ])('%s', async (_, order, instance_info) => {
    expect(await answerTo(order, instance_info, state)).toMatchObject({ kind });
  });

  test.each<[string, Partial<ProvisionOrder>]>([
    ['user data', { userData: { name: 'm2', namespace: 'metal' } }],
    ['data, with the same user data', { networkData: { name: 'm1-net' } }],
    ['data, namely none', { userData: undefined } as never],
  ])('has this one when its host names other %s since the attempt began', async (_, data) => {
    const order = { ...ORDER, attempt, ...data };
    expect(await answerTo(order, recorded({ attempt }), state)).toMatchObject({ kind });
  });

  test.each<[string, Partial<ProvisionOrder>, object]>([
    ['user data after another attempt', { ...ORDER, userData: { name: 'm2' }, attempt: later }, recorded({ attempt })],
    [
      'user data after an attempt of a deleted host of this name',
      { ...ORDER, userData: { name: 'm2' }, attempt },
      recorded({ attempt: attempt.replace('uid-1', 'uid-0') }),
    ],
    ['user data after an attempt that nobody knows', { ...ORDER, userData: { name: 'm2' }, attempt }, recorded({})],
    ['image in the same attempt', { ...ORDER, image: other, attempt }, recorded({ attempt })],
    [
      'custom step in the same attempt',
      { ...ORDER, customDeployMethod: 'own', attempt },
      recorded({ attempt, customDeployMethod: 'install' }),
    ],
    ['image', { ...ORDER, image: other }, recorded({})],
    ['image, of the same description', ORDER, { ...recorded({ image: other.url }), ...mirrored }],
    ['user data', { ...ORDER, userData: { name: 'm2', namespace: 'metal' } }, recorded({})],
    ['data, with the same user data', { ...ORDER, networkData: { name: 'm1-net' } }, recorded({})],
    ['data, namely none', { image }, recorded({})],
    ['custom step', { ...ORDER, customDeployMethod: 'own' }, recorded({ customDeployMethod: 'install' })],
  ])('has to be deprovisioned before it gets another %s', async (_, order, instance_info) => {
    expect(await answerTo(order, instance_info, state)).toMatchObject({
      kind: 'failed',
      message: `node ${NODE} is in state '${state}' with another image, deploy step or data; it has to be deprovisioned first`,
    });
  });
});

test('a deployment that failed after its host named other data has failed, and is not repeated at once', async () => {
  const order = { ...ORDER, userData: { name: 'm2' }, attempt };
  const instance_info = { ...info, temper_deployment: { ...RECORD, attempt } };
  open = await scriptActivities([
    {
      status: 200,
      body: aNodeAnswer({ provision_state: 'deploy failed', instance_info, last_error: 'no disk' }),
    },
  ]);
  expect(await open.activities.deployNode({ ...anOrder({ nodeId: NODE }), retry: false, ...order })).toMatchObject({
    kind: 'failed',
    message: 'no disk',
  });
});

describe.each(STATES)('a node in %s without such a record, from before there were any,', (state, kind) => {
  test.each<[string, Partial<ProvisionOrder>, object]>([
    ['has this image', ORDER, info],
    ['is taken to have this image when it has the instance of the host', ORDER, mirrored],
    ['is taken to have this image when its record is not readable', ORDER, { ...info, temper_deployment: 'odd' }],
  ])('%s', async (_, order, instance_info) => {
    expect(await answerTo(order, instance_info, state)).toMatchObject({ kind });
  });

  test('has to be deprovisioned when it boots a live ISO instead of an image', async () => {
    expect(await answerTo(ORDER, { boot_iso: 'http://images/live.iso' }, state)).toMatchObject({ kind: 'failed' });
  });
});
