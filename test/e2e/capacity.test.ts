import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { PlaceAnswer } from '../../domain/host/approval/place-answered.ts';
import type { PlaceRequest } from '../../domain/lock/lock.ts';
import { LOCKS } from '../../domain/lock/policy.ts';
import { hostWorkflowId } from '../../workflows/messages.ts';
import { keepHistories, keepRuns, withTemporal } from './support/histories.ts';
import { apply, createHost, fakeHostManifest, getHost, hostIn, kubectl, NAMESPACE, secret } from './support/hosts.ts';
import type { TestLab } from './support/lab.ts';
import { joinLab } from './support/place/join.ts';

/** More hosts than Ironic may work on at the same time, on its fake nodes, which are slow and need no machine. */
const LIMIT = 3;
const MANY = Number(process.env['TEMPER_WAITING_HOSTS'] ?? 6);
const names = Array.from({ length: MANY }, (_, index) => `one-of-many-${index}`);
let lab: TestLab;

beforeAll(async () => {
  lab = await joinLab({ machines: 1, temperEnv: { PROVISIONING_LIMIT: String(LIMIT) } });
  await apply(lab, secret('fake-bmc', { username: 'nobody', password: 'nothing' }));
});
afterAll(() => lab?.stop());

const fakeHost = (name: string): object => fakeHostManifest(name, { online: true, image: lab.endpoints.testImage });

const nodes = z.object({ nodes: z.array(z.object({ name: z.string().nullable(), provision_state: z.string() })) });
const AT_WORK = /^(cleaning|clean wait|inspecting|inspect wait|deploying|wait call-back|deleting)$/;

/** Polls Ironic directly for the number of busy nodes of this file, until stopped. */
function watchIronic(): { stop(): Promise<readonly number[]> } {
  const counts: number[] = [];
  let watching = true;
  const looking = (async () => {
    while (watching) {
      const answer = await fetch(`${lab.endpoints.ironicDirect}nodes?fields=name,provision_state`, {
        headers: { 'X-OpenStack-Ironic-API-Version': '1.89' },
      });
      const list = answer.ok ? nodes.parse(await answer.json()).nodes : [];
      const ours = list.filter(({ name }) => name?.startsWith(`${NAMESPACE}~`));
      if (answer.ok) counts.push(ours.filter(({ provision_state }) => AT_WORK.test(provision_state)).length);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  })();
  // A failure is reported at the end.
  looking.catch(() => undefined);
  return {
    stop: async () => {
      watching = false;
      await looking;
      return counts;
    },
  };
}

/** Operational statuses of hosts that were seen until all hosts satisfied the check. */
async function statusesUntil(holds: (host: Awaited<ReturnType<typeof getHost>>) => boolean): Promise<Set<string>> {
  const seen = new Set<string>();
  for (;;) {
    const hosts = await Promise.all(names.map((name) => getHost(lab, name)));
    for (const host of hosts) seen.add(host?.status.operationalStatus ?? '');
    if (hosts.every(holds)) return seen;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

/** Tickets in the order of their requests and of their grants, from the history of the run of the slots. */
const queueOf = (): Promise<Record<'holders' | 'asked' | 'granted', readonly string[]>> =>
  withTemporal(lab, async (client) => {
    const asked = new Map<string, string>();
    const granted = new Set<string>();
    const runs: { readonly runId: string; readonly startTime: Date }[] = [];
    for await (const run of client.workflow.list({ query: `WorkflowId = '${LOCKS.slots.workflowId}'` })) runs.push(run);
    for (const { runId } of runs.toSorted((a, b) => a.startTime.getTime() - b.startTime.getTime())) {
      const { events } = await client.workflow.getHandle(LOCKS.slots.workflowId, runId).fetchHistory();
      for (const event of events ?? []) {
        const signaled = event.workflowExecutionSignaledEventAttributes;
        const sent = event.signalExternalWorkflowExecutionInitiatedEventAttributes;
        if (signaled?.signalName === 'placeRequested') {
          const { ticket, holder } = decoded<PlaceRequest>(signaled.input);
          asked.set(ticket, holder);
        }
        const answer = sent == null ? undefined : decoded<PlaceAnswer>(sent.input);
        if (answer?.kind === 'granted') granted.add(answer.ticket);
      }
    }
    return { holders: [...asked.values()], asked: [...asked.keys()], granted: [...granted] };
  });

const decoded = <T>(input: { payloads?: { data?: Uint8Array | null }[] | null } | null | undefined): T =>
  JSON.parse(Buffer.from(input?.payloads?.[0]?.data ?? []).toString('utf8')) as T;

describe(`with a limit of three, ${MANY} hosts at once`, () => {
  test('are provisioned in the order in which they asked, never more than three at a time, and are delayed meanwhile', async () => {
    const ironic = watchIronic();
    await apply(lab, ...names.map(fakeHost));
    const seen = await statusesUntil((host) => host?.status.provisioning.state === 'provisioned');
    const counts = await ironic.stop();
    expect(Math.max(...counts)).toBe(LIMIT);
    expect([...seen]).toContain('delayed');
    const now = await Promise.all(names.map((name) => getHost(lab, name)));
    expect(now.map((host) => host?.status.operationalStatus)).toEqual(names.map(() => 'OK'));
    const { asked, granted } = await queueOf();
    expect(granted).toHaveLength(2 * names.length);
    expect(granted).toEqual(asked);
    await keepHistories(lab, 'slots', names.at(-1) ?? '', ({ type }) => type === 'hostWorkflow');
  });

  test('are deprovisioned and deleted three at a time too, after the run of the slots was lost', async () => {
    await withTemporal(lab, (client) =>
      client.workflow.getHandle(LOCKS.slots.workflowId).terminate('lost in the test'),
    );
    const ironic = watchIronic();
    await kubectl(lab, ['delete', 'bmh', '--timeout=600s', ...names]);
    const counts = await ironic.stop();
    expect(counts.length).toBeGreaterThan(0);
    expect(Math.max(...counts)).toBeLessThanOrEqual(LIMIT);
  });
});

describe('a host whose BMC takes an ISO', () => {
  test('never asks for a slot', async () => {
    const name = await createHost(lab, 0, { image: lab.endpoints.testImage });
    await hostIn(lab, name, 'provisioned');
    const { holders } = await queueOf();
    expect(holders).toContain(hostWorkflowId({ namespace: NAMESPACE, name: names[0] ?? '' }));
    expect(holders).not.toContain(hostWorkflowId({ namespace: NAMESPACE, name }));
    await keepRuns(lab, 'slots', LOCKS.slots.workflowId);
  });
});
