import { afterEach, describe, expect, test } from 'vitest';
import { type ScriptedActivities, scriptActivities } from '../../test/builders/scripted-activities.ts';
import { type Answer, aNodeAnswer, fault } from '../../test/builders/scripted-ironic.ts';
import type { HostData } from '../host-data.ts';
import type { IronicActivities } from './activities.ts';

const NODE = '11111111-1111-4111-8111-111111111111';
const HOST = { namespace: 'metal', name: 'host-1', uid: 'uid-1' };
const SAID = `BMC said: 'canary-password' is wrong; https://me:canary@images/a?sig=canary is gone; encoded canary%2Dpass%20word`;
const CLEAN = `BMC said: '******' is wrong; https://***@images/a?*** is gone; encoded ******`;
const secretsOf: HostData['secretsOf'] = () => Promise.resolve(['canary-password', 'canary%2Dpass%20word']);

let open: ScriptedActivities | undefined;
afterEach(async () => open?.close());
async function script(...answers: readonly Answer[]): Promise<IronicActivities> {
  open = await scriptActivities(answers, {}, { secretsOf });
  return open.activities;
}
const aNode = (more: object): Answer => ({ status: 200, body: aNodeAnswer({ last_error: SAID, ...more }) });

describe('what Ironic says of credentials that it was sent', () => {
  test('is cut out of a failure and of the node in it', async () => {
    const { provideNode } = await script(aNode({ provision_state: 'clean failed' }));
    const answer = await provideNode({ host: HOST, nodeId: NODE, retry: false });
    expect(answer).toMatchObject({ kind: 'failed', message: CLEAN, node: { lastError: CLEAN } });
  });

  test('is cut out of a reason that Ironic only remembers', async () => {
    const history = [{ uuid: 'x', event: SAID, severity: 'ERROR', created_at: '2026-01-01' }];
    const { explainFailure } = await script(aNode({ last_error: null }), { status: 200, body: { history } });
    expect(await explainFailure({ host: HOST, nodeId: NODE })).toEqual({ message: CLEAN });
  });

  test('is cut out of the node that was waited for', async () => {
    const nodes = [aNodeAnswer({ provision_state: 'active', last_error: SAID })];
    const { waitForNode } = await script({ status: 200, body: { nodes } });
    expect(await waitForNode({ host: HOST, nodeId: NODE, until: 'rest' })).toMatchObject({ lastError: CLEAN });
  });

  test('is cut out of an error that is retried', async () => {
    const { provideNode } = await script(
      aNode({ provision_state: 'manageable', maintenance: true, fault: 'clean failure' }),
    );
    const thrown: unknown = await provideNode({ host: HOST, nodeId: NODE, retry: false }).catch(
      (error: unknown) => error,
    );
    expect(thrown).toMatchObject({ type: 'NodeInFault', message: expect.stringContaining(CLEAN) as unknown });
    expect(JSON.stringify(Object.getOwnPropertyDescriptors(thrown))).not.toContain('canary');
  });

  test('is cut out of a refusal', async () => {
    const { setPower } = await script(aNode({ provision_state: 'active', power_state: 'power off' }), {
      status: 400,
      body: fault(SAID),
    });
    const answer = await setPower({ host: HOST, nodeId: NODE, on: true, mode: 'hard', force: false }).catch(
      (error: unknown) => error,
    );
    expect(JSON.stringify([answer, answer instanceof Error ? answer.message : ''])).not.toContain('canary');
  });

  test('is not read for an answer without words', async () => {
    open = await scriptActivities(
      [aNode({ provision_state: 'available', last_error: null })],
      {},
      {
        secretsOf: () => Promise.reject(new Error('no')),
      },
    );
    const answer = await open.activities.provideNode({ host: HOST, nodeId: NODE, retry: false });
    expect(answer).toMatchObject({ kind: 'done' });
  });
});
