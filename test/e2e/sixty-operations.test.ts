import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { hostPath } from '../../kube/paths.ts';
import { hostWorkflowId, view } from '../../workflows/messages.ts';
import { keepHistories, type Run, runsOf, withTemporal } from './support/histories.ts';
import { apply, editHost, getHost, type Host, hostIn, hostThat, NAMESPACE, secret } from './support/hosts.ts';
import type { TestLab } from './support/lab.ts';
import { joinLab } from './support/place/join.ts';
import { deploysOf } from './support/recorded.ts';

/**
 * A long life in a short time: a run is continued as new every few operations. The node is one of Ironic's fake ones.
 */
/** All of them in the nightly run. */
const OPERATIONS = Number(process.env['TEMPER_OPERATIONS'] ?? 12);
const HISTORY_LIMIT = 60;
const name = 'host-0';
const id = { namespace: NAMESPACE, name };
let lab: TestLab;

beforeAll(async () => {
  lab = await joinLab({ machines: 1, temperEnv: { TEMPER_HISTORY_LIMIT: String(HISTORY_LIMIT) } });
  const host = {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { name, namespace: NAMESPACE },
    spec: { online: true, bmc: { address: 'fake-hardware://host-0', credentialsName: 'fake-bmc' } },
  };
  await apply(lab, secret('fake-bmc', { username: 'nobody', password: 'nothing' }), host);
  await hostIn(lab, name, 'available');
});
afterAll(() => lab?.stop());

const conditions = z.array(z.looseObject({ type: z.string(), observedGeneration: z.number() }));

describe(`a host driven through ${OPERATIONS} operations`, () => {
  test('does each of them once, whatever run it falls into', async () => {
    for (let operation = 1; operation <= OPERATIONS; operation++) {
      const deploys = operation % 2 === 1;
      // Changes arrive during the whole operation, and so at every moment at which one run ends and the next begins.
      const chatter = chat(operation);
      await editHost(lab, name, { image: deploys ? lab.endpoints.testImage : null });
      await hostThat(lab, name, `at the end of operation ${operation}`, ({ status }) =>
        deploys
          ? status.provisioning.state === 'provisioned'
          : status.provisioning.state === 'available' && status.provisioning.image?.url === '',
      );
      await chatter.end();
    }
    expect(Object.values(await deploysOf(lab))).toEqual([OPERATIONS / 2]);
  });

  test('knows the last change, and what it knew before', async () => {
    const host = await getHost(lab, name);
    const shown = await withTemporal(lab, (client) => client.workflow.getHandle(hostWorkflowId(id)).query(view));
    expect(shown).toMatchObject({
      uid: host?.metadata.uid,
      shown: { status: { provisioning: { ID: host?.status.provisioning.ID } } },
    });
    // The condition Healthy keeps its generation while Ironic reports no health, as upstream does.
    const observed = (status: Host['status']): number[] =>
      conditions
        .parse(status['conditions'])
        .filter(({ type }) => type !== 'Healthy')
        .map((one) => one.observedGeneration);
    await hostThat(lab, name, 'observed', ({ metadata, status }) =>
      observed(status).every((generation) => generation === metadata.generation),
    );
  });

  test('went through many runs, none of them long, and none ended before it had handled all of its signals', async () => {
    // Temporal's list of runs is updated late.
    const runs = await vi.waitFor(
      async () => {
        const found = (await runsOf(lab, name)).filter(({ type }) => type === 'hostWorkflow');
        expect(found.filter(({ status }) => status === 'RUNNING')).toHaveLength(1);
        return found;
      },
      { timeout: 60_000, interval: 1_000 },
    );
    expect(runs.length).toBeGreaterThan(OPERATIONS / 6);
    expect(Math.max(...runs.map(({ history }) => history.events.length))).toBeLessThan(2_000);
    const ended = runs.filter(({ status }) => status !== 'RUNNING');
    expect(ended.filter(({ status }) => status !== 'CONTINUED_AS_NEW')).toEqual([]);
    expect(ended.filter(hasUnheardSignal).map(({ runId }) => runId)).toEqual([]);
    await keepHistories(lab, 'sixty-operations', name, ({ type }) => type === 'hostWorkflow');
  });
});

/** True when a signal arrived after the last task of a run had started, so that this run did not handle it. */
function hasUnheardSignal({ history: { events } }: Run): boolean {
  const last = (type: RegExp): number => events.findLastIndex(({ eventType }) => type.test(eventType));
  return last(/WORKFLOW_EXECUTION_SIGNALED/) > last(/WORKFLOW_TASK_STARTED/);
}

/** Keeps changing something without effect until it is ended. */
function chat(operation: number): { end(): Promise<void> } {
  let isOver = false;
  const talk = async (): Promise<void> => {
    for (let word = 1; !isOver; word++) {
      await lab.kube.patch(hostPath(id), { spec: { description: `operation ${operation}, word ${word}` } });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const talking = talk();
  // A failure is reported at the end.
  talking.catch(() => undefined);
  return {
    end: () => {
      isOver = true;
      return talking;
    },
  };
}
