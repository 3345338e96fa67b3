import { afterEach, describe, expect, test } from 'vitest';
import type { AutomatedCleaningMode } from '../../../api/baremetalhost/values.ts';
import type { DeprovisionOrder } from '../../../domain/ironic/orders.ts';
import { type ScriptedActivities, scriptActivities } from '../scripted/scripted-activities.ts';
import { type Answer, aNodeAnswer } from '../scripted/scripted-ironic.ts';

let open: ScriptedActivities | undefined;
afterEach(async () => open?.close());

const NODE = '11111111-1111-4111-8111-111111111111';
const anOrder = (automatedCleaningMode: AutomatedCleaningMode): DeprovisionOrder => ({
  host: { namespace: 'metal', name: 'host-1', uid: 'uid-1' },
  nodeId: NODE,
  bmc: { address: 'redfish://bmc', credentialsName: 's', disableCertificateVerification: false },
  bootMode: 'UEFI',
  inspectionMode: 'agent',
  automatedCleaningMode,
  disablePowerOff: false,
  retry: true,
});
const accepted: Answer = { status: 202 };

async function undeploy(node: object, mode: AutomatedCleaningMode) {
  const found: Answer = { status: 200, body: aNodeAnswer(node) };
  const isInOrder = 'automated_clean' in node && node.automated_clean === (mode !== 'disabled');
  const answers = isInOrder ? [found, accepted] : [found, { ...found }, accepted];
  open = await scriptActivities(answers);
  await open.activities.undeployNode(anOrder(mode));
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
    const answer = await open.activities.undeployNode({ ...anOrder('metadata'), isAskedForAgain: true });
    expect(answer).toMatchObject({ kind: 'done', node: { state: 'active' } });
    expect(open.asked()).toHaveLength(1);
  });

  test('that has the setting already gets no request', async () => {
    expect(await undeploy({ provision_state: 'active', automated_clean: true }, 'metadata')).toEqual([step('deleted')]);
  });
});
