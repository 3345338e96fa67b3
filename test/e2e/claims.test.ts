import type { Client } from '@temporalio/client';
import PQueue from 'p-queue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectionPath, hostPath, secretPath } from '../../kube/paths.ts';
import { entityWorkflowId, hostWorkflowId } from '../../workflows/messages.ts';
import { fixtureHost, type TestFixtureLab } from './support/fixture.ts';
import { withTemporal } from './support/histories.ts';
import { NAMESPACE, secret } from './support/hosts.ts';
import { aCluster, aMachine, list, PATIENCE, patch } from './support/machines.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE } from './support/place/quick-fixture.ts';
import { temporalCount } from './support/temporal-metrics.ts';

/** As many machines as hosts, all at once: 12, and 1,000 in `npm run test:nightly`. */
const MANY = Number(process.env['TEMPER_CLAIMED_HOSTS'] ?? 12);
const PATIENT = { timeout: PATIENCE.timeout + MANY * 1_000, interval: 1_000 };

let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await joinFixtureLab({ temperEnv: QUICK_FIXTURE });
  await aCluster(lab, 'test1');
});
afterAll(() => lab?.stop());

const names = Array.from({ length: MANY }, (_, index) => `n${index}`);

const each = async <T>(items: readonly T[], doIt: (item: T) => Promise<unknown>): Promise<void> => {
  const queue = new PQueue({ concurrency: 20 });
  await queue.addAll(items.map((item) => () => doIt(item)));
};
const post = (path: string, body: object): Promise<unknown> => lab.kube.request({ method: 'POST', path, body });

interface HostObject {
  readonly metadata: { readonly name: string };
  readonly spec: { readonly consumerRef?: { readonly name: string } };
  readonly status?: { readonly provisioning?: { readonly state: string } };
}
const hosts = async (): Promise<readonly HostObject[]> => {
  const answer = await lab.kube.request({
    path: collectionPath({ apiVersion: 'metal3.io/v1alpha1', plural: 'baremetalhosts' }, NAMESPACE),
  });
  return (answer as { items: HostObject[] }).items;
};
const collection = (path: string): string => path.replace(/\/$/, '');

/** How often a machine's workflow requested a host. */
async function requestsOf(client: Client, workflowId: string): Promise<number> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const scheduled = events?.filter(
    ({ activityTaskScheduledEventAttributes: task }) => task?.activityType?.name === 'requestHost',
  );
  return scheduled?.length ?? 0;
}

/** The machines that claimed a host, from the history of the host's workflow. */
async function givenTo(client: Client, workflowId: string): Promise<readonly string[]> {
  const { events } = await client.workflow.getHandle(workflowId).fetchHistory();
  const askedBy = new Map<string, string>();
  const given = new Set<string>();
  for (const event of events ?? []) {
    const request = event.workflowExecutionUpdateAcceptedEventAttributes?.acceptedRequest;
    if (request?.input?.name === 'claim') {
      const { machine } = jsonOf(request.input.args) as { machine: { name: string } };
      askedBy.set(request.meta?.updateId ?? '', machine.name);
    }
    const ended = event.workflowExecutionUpdateCompletedEventAttributes;
    const machine = askedBy.get(ended?.meta?.updateId ?? '');
    if (machine === undefined) continue;
    const answer = jsonOf(ended?.outcome?.success) as { kind: string; host?: object | null } | undefined;
    if (answer?.kind === 'host' && answer.host !== null) given.add(machine);
  }
  return [...given];
}

interface Payloads {
  readonly payloads?: readonly { readonly data?: Uint8Array | null }[] | null;
}
const jsonOf = (payloads: Payloads | null | undefined): unknown => {
  const data = payloads?.payloads?.[0]?.data;
  return data ? JSON.parse(Buffer.from(data).toString()) : undefined;
};

/**
 * Number of claims that hosts' workflows have accepted or rejected, as Temporal counts them: rejected ones count although
 * no history has them. Requests would count the client's repetitions, too, of which a slow server gets more.
 */
async function claimsAnswered(): Promise<number> {
  const counters = ['accept_workflow_update_message', 'reject_workflow_update_message'];
  const counts = await Promise.all(counters.map((counter) => temporalCount(lab, counter, {})));
  return counts.reduce((sum, count) => sum + count, 0);
}

test(
  `${MANY} machines that claim ${MANY} hosts at once get one each, in at most three attempts on average`,
  async () => {
    await each(names, async (name) => {
      await post(
        collection(secretPath({ namespace: NAMESPACE, name: '' })),
        secret(`${name}-bmc`, { username: 'a', password: 'b' }),
      );
      await post(
        collection(hostPath({ namespace: NAMESPACE, name: '' })),
        fixtureHost(name, { inspectionMode: 'disabled' }),
      );
    });
    const free = async (): Promise<number> =>
      (await hosts()).filter(({ status }) => status?.provisioning?.state === 'available').length;
    await expect.poll(free, PATIENT).toBe(MANY);

    // All machines exist and wait for their Cluster before the first may claim a host.
    await patch(lab, 'cluster', 'test1', { spec: { paused: true } });
    // They wait for data that never arrives: a host is claimed and then left unchanged.
    await each(names, (name) => aMachine(lab, 'test1', `m-${name}`, { spec: { dataTemplate: { name: 'nowhere' } } }));
    const held = async (): Promise<number> =>
      (await list(lab, 'metal3Machine')).filter(({ status }) =>
        status.conditions.some(({ type, status: isSo }) => type === 'Paused' && isSo === 'True'),
      ).length;
    await expect.poll(held, PATIENT).toBe(MANY);
    expect((await hosts()).filter(({ spec }) => spec.consumerRef !== undefined)).toEqual([]);
    const answeredBefore = await claimsAnswered();
    await patch(lab, 'cluster', 'test1', { spec: { paused: false } });
    const placed = async (): Promise<number> =>
      (await list(lab, 'metal3Machine')).filter(({ metadata }) => 'metal3.io/BareMetalHost' in metadata.annotations)
        .length;
    await expect.poll(placed, PATIENT).toBe(MANY);

    const machines = await list(lab, 'metal3Machine');
    const claimed = new Map((await hosts()).map(({ metadata, spec }) => [metadata.name, spec.consumerRef?.name]));
    expect(new Set(claimed.values()).size).toBe(MANY);
    const told = machines.map(({ metadata }) => `${metadata.annotations['metal3.io/BareMetalHost']} ${metadata.name}`);
    const written = [...claimed].map(([host, machine]) => `${NAMESPACE}/${host} ${machine}`);
    expect(new Set(told)).toEqual(new Set(written));

    const answered = (await claimsAnswered()) - answeredBefore;
    expect(answered).toBeGreaterThanOrEqual(MANY);
    expect(answered / MANY).toBeLessThanOrEqual(3);
    await withTemporal(lab, async (client) => {
      let attempts = 0;
      await each(names, async (name) => {
        const machine = { namespace: NAMESPACE, name: `m-${name}` };
        const requests = await requestsOf(client, entityWorkflowId('Metal3Machine', machine));
        attempts += requests;
        // All other claims were refused.
        const given = await givenTo(client, hostWorkflowId({ namespace: NAMESPACE, name }));
        expect(given).toEqual([claimed.get(name)]);
      });
      expect(attempts).toBeGreaterThanOrEqual(MANY);
      expect(attempts / MANY).toBeLessThanOrEqual(3);
      process.stdout.write(
        `${MANY} machines: ${attempts} attempts, of which ${answered} were answered by a host's workflow\n`,
      );
    });
  },
  PATIENT.timeout * 3,
);
