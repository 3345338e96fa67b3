import { afterEach, describe, expect, test } from 'vitest';
import type { AutomatedCleaningMode } from '../../../api/baremetalhost/values.ts';
import type { DeprovisionOrder } from '../../../domain/ironic/orders.ts';
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

  test('is left as it is when the host asks again for what runs on it', async () => {
    open = await scriptActivities([{ status: 200, body: aNodeAnswer({ provision_state: 'active' }) }]);
    const answer = await open.activities.undeployNode({ ...aDeprovisioning('metadata'), isAskedForAgain: true });
    expect(answer).toMatchObject({ kind: 'done', node: { state: 'active' } });
    expect(open.asked()).toHaveLength(1);
  });

  const image = { url: 'http://images/a.raw', checksum: 'abc', checksumType: 'md5' as const };
  const asked = [{ url: 'http://images/a.raw' }, { url: 'http://images/b.raw' }];
  test.each([
    ['is left as it is when Ironic has recorded the image that the host asks for', asked[0], 'done'],
    ['is undeployed when Ironic has recorded another', asked[1], 'started'],
  ])('%s', async (_, recorded, kind) => {
    const info = { image_source: recorded?.url, image_os_hash_algo: 'md5', image_os_hash_value: 'abc' };
    const found = { status: 200, body: aNodeAnswer({ provision_state: 'active', instance_info: info }) };
    open = await scriptActivities([found, { ...found }, accepted]);
    const order = { ...aDeprovisioning('metadata'), isAskedForAgain: false, imageThatStays: image };
    expect(await open.activities.undeployNode(order)).toMatchObject({ kind });
  });

  test('that has the setting already gets no request', async () => {
    expect(await undeploy({ provision_state: 'active', automated_clean: true }, 'metadata')).toEqual([step('deleted')]);
  });
});
