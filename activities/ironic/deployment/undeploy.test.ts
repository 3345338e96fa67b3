import { afterEach, describe, expect, test } from 'vitest';
import type { AutomatedCleaningMode } from '../../../api/baremetalhost/values.ts';
import type { AskedAgain, DeprovisionOrder } from '../../../domain/ironic/orders.ts';
import { anOrder } from '../../../test/builders/node.ts';
import { type ScriptedActivities, scriptActivities } from '../../../test/builders/scripted-activities.ts';
import { type Answer, aNodeAnswer } from '../../../test/builders/scripted-ironic.ts';

let open: ScriptedActivities | undefined;
afterEach(async () => open?.close());

const NODE = '11111111-1111-4111-8111-111111111111';
const aDeprovisioning = (automatedCleaningMode: AutomatedCleaningMode): DeprovisionOrder => ({
  ...anOrder({ nodeId: NODE, automatedCleaningMode }),
  retry: true,
});
const accepted: Answer = { status: 202 };

async function undeploy(node: object, mode: AutomatedCleaningMode) {
  const found: Answer = { status: 200, body: aNodeAnswer(node) };
  const isInOrder = 'automated_clean' in node && node.automated_clean === (mode !== 'disabled');
  const answers = isInOrder ? [found, accepted] : [found, { ...found }, accepted];
  open = await scriptActivities(answers);
  await open.activities.undeployNode(aDeprovisioning(mode));
  return open.asked().slice(1);
}

const cleaning = (value: boolean) => [`PATCH /v1/nodes/${NODE}`, [{ op: 'add', path: '/automated_clean', value }]];
const step = (target: string) => [`PUT /v1/nodes/${NODE}/states/provision`, { target }];

describe('a node that is to be undeployed', () => {
  test.each([
    ['active', 'deleted'],
    ['deploy failed', 'deleted'],
    ['wait call-back', 'deleted'],
    ['manageable', 'provide'],
  ])('in %s gets the setting of automated cleaning at this time', async (provision_state, target) => {
    expect(await undeploy({ provision_state, automated_clean: true }, 'disabled')).toEqual([
      cleaning(false),
      step(target),
    ]);
    expect(await undeploy({ provision_state, automated_clean: false }, 'metadata')).toEqual([
      cleaning(true),
      step(target),
    ]);
  });

  const image = { url: 'http://images/a.raw', checksum: 'abc', checksumType: 'md5' as const };
  const info = { image_source: image.url, image_os_hash_algo: 'md5', image_os_hash_value: 'abc' };
  const other = { image_source: 'http://images/b.raw', image_os_hash_algo: 'md5', image_os_hash_value: 'abc' };
  const userData = { name: 'cloud-init', namespace: 'metal' };
  const recorded = (change: object) => ({
    ...info,
    temper_deployment: { image: image.url, customDeployMethod: '', data: {}, ...change },
  });
  const asks: AskedAgain = { desired: { image }, shown: { url: image.url } };
  const forged: AskedAgain = { desired: { image }, shown: { url: 'http://images/forged', method: 'forged' } };

  test.each<[string, AskedAgain, object, 'done' | 'started']>([
    ['is left as it is when the host asks again for what runs on it', asks, recorded({}), 'done'],
    ['is left as it is when the host asks for what Ironic has recorded', forged, recorded({}), 'done'],
    [
      'is left as it is when the host asks for it, and Ironic has another name for the image',
      forged,
      { ...recorded({}), image_source: 'http://mirror/a.raw' },
      'done',
    ],
    [
      'is undeployed when Ironic has recorded another image',
      asks,
      { ...other, ...recorded({ image: 'b' }), ...other },
      'started',
    ],
    ['is undeployed when Ironic has recorded other data', asks, recorded({ data: { userData } }), 'started'],
    ['is undeployed when Ironic has recorded a custom step', asks, recorded({ customDeployMethod: 'own' }), 'started'],
    ['is left as it is when nobody knows its data', asks, recorded({ data: undefined }), 'done'],
    ['without a record is left as it is when the status shows what is asked for', asks, other, 'done'],
    [
      'without a record is left as it is when it has the image that is asked for',
      { ...forged, shown: { url: 'http://images/forged' } },
      info,
      'done',
    ],
    ['without a record is undeployed when it has another image', { ...forged, shown: { url: '' } }, other, 'started'],
  ])('%s', async (_, askedAgain, instance_info, kind) => {
    const found = { status: 200, body: aNodeAnswer({ provision_state: 'active', instance_info }) };
    open = await scriptActivities([found, { ...found }, accepted]);
    const answer = await open.activities.undeployNode({ ...aDeprovisioning('metadata'), askedAgain });
    expect(answer).toMatchObject({ kind, ...(kind === 'done' && { node: { state: 'active' } }) });
    expect(open.asked()).toHaveLength(kind === 'done' ? 1 : 3);
  });

  const prepared = { provision_state: 'available', instance_uuid: 'uid-1', instance_info: recorded({}) };
  const emptied = [
    `PATCH /v1/nodes/${NODE}`,
    [
      { op: 'remove', path: '/instance_uuid' },
      { op: 'add', path: '/instance_info', value: {} },
    ],
  ];

  test.each<[string, object, readonly unknown[]]>([
    ['loses what a withdrawn deployment of its host has written', {}, [emptied]],
    ['keeps what was written for another host', { instance_uuid: 'uid-0' }, []],
    ['that has nothing of a deployment gets no request', { instance_uuid: null, instance_info: {} }, []],
  ])('and is available %s', async (_, change, requests) => {
    const found = { status: 200, body: aNodeAnswer({ ...prepared, ...change }) };
    open = await scriptActivities([found, { ...found }]);
    const answer = await open.activities.undeployNode({ ...aDeprovisioning('metadata'), isShown: true });
    expect(answer).toMatchObject({ kind: 'done', node: { state: 'available' } });
    expect(open.asked().slice(1)).toEqual(requests);
  });

  test('and is available keeps what its host asks for again', async () => {
    open = await scriptActivities([{ status: 200, body: aNodeAnswer(prepared) }]);
    await open.activities.undeployNode({ ...aDeprovisioning('metadata'), askedAgain: asks });
    expect(open.asked()).toHaveLength(1);
  });

  test('that has the setting already gets no request', async () => {
    expect(await undeploy({ provision_state: 'active', automated_clean: true }, 'metadata')).toEqual([step('deleted')]);
  });
});
