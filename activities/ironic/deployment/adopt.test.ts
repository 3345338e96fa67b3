import { afterEach, describe, expect, test } from 'vitest';
import type { AdoptOrder } from '../../../domain/ironic/orders.ts';
import { anOrder } from '../../../test/builders/node.ts';
import { type ScriptedActivities, scriptActivities } from '../../../test/builders/scripted-activities.ts';
import { type Answer, aNodeAnswer } from '../../../test/builders/scripted-ironic.ts';
import { type HostData, HostDataError } from '../../host-data.ts';

let open: ScriptedActivities | undefined;
afterEach(async () => open?.close());

const NODE = '11111111-1111-4111-8111-111111111111';
const IMAGE = { url: 'http://images/a.raw', checksum: 'abc', checksumType: 'sha256' } as const;
const RECORDED = { image_source: IMAGE.url, image_os_hash_algo: 'sha256', image_os_hash_value: 'abc' };
const RECORD = { image: IMAGE.url, customDeployMethod: '' };
const ORDER = {
  ...anOrder({ nodeId: NODE }),
  retry: false,
} as const;
const node = (facts: object): Answer => ({ status: 200, body: aNodeAnswer(facts) });

/** What Ironic is told: each request that is no read. */
async function adopt(order: Partial<AdoptOrder>, facts: object, hostData: Partial<HostData> = {}) {
  const found = node(facts);
  const isRecorded = !('instance_info' in facts) && (order.image ?? order.customDeployMethod) !== undefined;
  const answers = isRecorded ? [found, found, found] : [found, found];
  open = await scriptActivities([...answers, { status: 202 }], {}, hostData);
  const answer = await open.activities.adoptNode({ ...ORDER, ...order });
  expect(answer).toMatchObject({ kind: 'started', node: { state: 'adopting' }, adopts: true });
  return open.asked().filter(([request]) => !request.startsWith('GET '));
}

const recording = [
  `PATCH /v1/nodes/${NODE}`,
  Object.entries({ ...RECORDED, temper_deployment: RECORD }).map(([key, value]) => ({
    op: 'add',
    path: `/instance_info/${key}`,
    value,
  })),
];
const adopting = [`PUT /v1/nodes/${NODE}/states/provision`, { target: 'adopt' }];

describe('a node that is adopted', () => {
  test('has the image that runs on its host in its record', async () => {
    expect(await adopt({ image: IMAGE }, { provision_state: 'manageable' })).toEqual([recording, adopting]);
  });

  test('and has it already, is adopted without another word', async () => {
    const data = { userData: { name: 'cloud-init', namespace: 'metal' } };
    const known = { ...RECORD, data, attempt: 'uid-1 2026-01-01T00:00:00Z metal/m1' };
    const info = { ...RECORDED, temper_deployment: known };
    expect(await adopt({ image: IMAGE }, { provision_state: 'manageable', instance_info: info })).toEqual([adopting]);
  });

  test.each<[string, Partial<AdoptOrder>]>([
    ['nobody knows what runs on its host', {}],
    ['Ironic could not read the URL of the image', { image: { url: 'installed by hand' } }],
  ])('is adopted without a record of its image when %s', async (_, order) => {
    expect(await adopt(order, { provision_state: 'manageable', instance_info: {} })).toEqual([adopting]);
  });

  test('has the custom deploy step of its host in its record', async () => {
    const byStep = { customDeployMethod: 'install' };
    const value = { image: '', ...byStep };
    expect(await adopt(byStep, { provision_state: 'manageable' })).toEqual([
      [`PATCH /v1/nodes/${NODE}`, [{ op: 'add', path: '/instance_info/temper_deployment', value }]],
      adopting,
    ]);
  });

  test('is adopted when its host has lost the secrets of its URL', async () => {
    const openedImage = () =>
      Promise.reject(new HostDataError('BareMetalHost metal/host-1 has another image meanwhile'));
    const facts = { provision_state: 'manageable', instance_info: {} };
    expect(await adopt({ image: IMAGE }, facts, { openedImage })).toEqual([adopting]);
  });

  test('is not deployed again by a run that does not know of it', async () => {
    open = await scriptActivities([node({ provision_state: 'active', instance_info: RECORDED })]);
    expect(await open.activities.deployNode({ ...ORDER, image: IMAGE })).toMatchObject({ kind: 'done' });
    expect(open.asked()).toHaveLength(1);
  });
});
