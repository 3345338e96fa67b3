import { readFile } from 'node:fs/promises';
import PQueue from 'p-queue';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { KubeError } from '../../kube/client.ts';
import { eventCollection, hostPath, secretPath } from '../../kube/paths.ts';
import { type MadeUpHost, madeUpHosts, secretName } from '../mutated/hosts.ts';
import { fixtureHost, fixtureSecret, type TestFixtureLab } from './support/fixture.ts';
import { withTemporal } from './support/histories.ts';
import { apply, hostIn, NAMESPACE } from './support/hosts.ts';
import { skipAdmission } from './support/place/admission.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE } from './support/place/quick-fixture.ts';
import { temporalCount } from './support/temporal-metrics.ts';

/**
 * Whatever people write into a BareMetalHost must only affect that host. Hosts are generated from the schema, and one
 * in three gets one to three invalid values. The API server validates all of them; then admission is turned off, so
 * that invalid ones reach the bridge and the fixture.
 */
const COUNT = Number(process.env['TEMPER_MUTATED_HOSTS'] ?? 20);
const SEED = Number(process.env['TEMPER_MUTATED_SEED'] ?? 20_260_801);
/** Hosts that exist at the same time. */
const BATCH = 500;
const AT_ONCE = 8;
const ERROR = 50;

let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await joinFixtureLab({ temperEnv: QUICK_FIXTURE });
});
afterAll(() => lab?.stop());

interface Verdict {
  readonly host: MadeUpHost;
  /** The API server's message; undefined when it was accepted. */
  readonly refusal: string | undefined;
}

const collection = (path: string): string => path.replace(/\/$/, '');

/** Creates the host, or only asks with a dry run whether it would be accepted. */
async function submit(host: MadeUpHost, query: { readonly dryRun?: 'All' } = {}): Promise<Verdict> {
  try {
    const path = collection(hostPath({ namespace: NAMESPACE, name: '' }));
    await lab.kube.request({ method: 'POST', path, query, body: host.manifest });
    return { host, refusal: undefined };
  } catch (error) {
    if (!(error instanceof KubeError) || error.status < 400 || error.status >= 500) throw error;
    return { host, refusal: error.message };
  }
}

async function create(host: MadeUpHost): Promise<Verdict> {
  if (host.secret !== undefined) {
    const body = { metadata: { name: secretName(host.name) }, stringData: host.secret };
    await lab.kube.request({ method: 'POST', path: collection(secretPath({ namespace: NAMESPACE, name: '' })), body });
  }
  return submit(host);
}

const SAYS_WHY = /denied the request: \S/;

const isByAdmission = ({ refusal }: Verdict): boolean => refusal?.includes('admission webhook') === true;

/** Skips admission for this file's namespace: hosts that only admission would refuse must do no harm either. */
async function withoutAdmission(refused: readonly MadeUpHost[]): Promise<void> {
  await skipAdmission(lab.kube, NAMESPACE);
  const [witness] = refused;
  if (witness === undefined) return;
  await missingAfter(60_000, async () => [await submit(witness, { dryRun: 'All' })].filter(isByAdmission));
}

async function remove(name: string): Promise<void> {
  const path = hostPath({ namespace: NAMESPACE, name });
  // First removes what delays a deletion on purpose.
  const annotations = {
    'baremetalhost.metal3.io/paused': null,
    'baremetalhost.metal3.io/detached': null,
    'temper/fixture-fail': null,
  };
  await lab.kube.patch(path, { metadata: { annotations } });
  await lab.kube.request({ method: 'DELETE', path });
}

async function each<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const queue = new PQueue({ concurrency: AT_ONCE });
  return queue.addAll(items.map((item) => () => work(item)));
}

const RUNNING = "WorkflowType = 'hostWorkflow' AND ExecutionStatus = 'Running'";

/** The hosts that have a run; all of them when the bridge has signalled all. */
const hostsWithRun = (): Promise<ReadonlySet<string>> =>
  withTemporal(lab, async (client) => {
    const names = new Set<string>();
    for await (const { workflowId } of client.workflow.list({ query: RUNNING })) {
      names.add(workflowId.split('/').at(-1) ?? '');
    }
    return names;
  });

/** Accepted hosts that cannot be parsed, by name, with the Event that says why. */
async function unreadable(): Promise<ReadonlyMap<string, string>> {
  const list = await lab.kube.request({
    path: eventCollection(NAMESPACE),
    query: { fieldSelector: 'reason=InvalidHost' },
  });
  const { items } = list as { items: readonly { involvedObject: { name: string }; message: string }[] };
  return new Map(items.map(({ involvedObject, message }) => [involvedObject.name, message]));
}

/** Names of the hosts that still exist. */
async function hostsLeft(): Promise<ReadonlySet<string>> {
  const path = collection(hostPath({ namespace: NAMESPACE, name: '' }));
  const list = await lab.kube.request({ path, accept: METADATA_ONLY });
  const { items } = list as { items: readonly { metadata: { name: string } }[] };
  return new Set(items.map(({ metadata }) => metadata.name));
}

const METADATA_ONLY = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';

const statusOf = async (name: string): Promise<unknown> =>
  ((await lab.kube.find(hostPath({ namespace: NAMESPACE, name }))) as { status?: unknown } | undefined)?.status;

/** Repeats until nothing is missing, and returns what is still missing at the end. */
async function missingAfter<Item>(
  patienceMs: number,
  missing: () => Promise<readonly Item[]>,
): Promise<readonly Item[]> {
  for (const until = Date.now() + patienceMs; ; ) {
    const now = await missing();
    if (now.length === 0 || Date.now() > until) return now;
    await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
}

/** A refusal must name a field: the changed one, or one of its parents. */
const namesField = (message: string, { mutations }: MadeUpHost): boolean =>
  mutations.flatMap(({ path }) => path).some((key) => typeof key === 'string' && message.includes(key));

/** Log lines of a process that no user can cause; a line that is no JSON is an unhandled error. */
async function complaints(service: string): Promise<readonly string[]> {
  const lines = (await readFile(lab.logOf(service), 'utf8')).split('\n').filter((line) => line !== '');
  return lines.filter((line) => {
    if (!line.startsWith('{')) return true;
    return Number((JSON.parse(line) as { level: unknown }).level) >= ERROR;
  });
}

/** Number of such calls by this file's workers since their start, as Temporal counts them. */
const timesTold = (operation: 'RespondWorkflowTaskFailed' | 'RespondWorkflowTaskCompleted'): Promise<number> =>
  temporalCount(lab, 'service_requests', { namespace: NAMESPACE, operation });

describe('generated hosts with odd and invalid values', () => {
  test('hurt themselves and nothing else', { timeout: 8 * 3_600_000 }, async () => {
    const pids = ['bridge', 'workers'].map((service) => lab.pidOf(service));
    const unheard: string[] = [];
    const complained = new Map<string, string>();
    const stuck: unknown[] = [];
    const turnedDown: Verdict[] = [];
    const hosts = madeUpHosts(COUNT, SEED);
    const verdicts = await each(hosts, (host) => submit(host, { dryRun: 'All' }));
    const byAdmission = verdicts.filter(isByAdmission);
    const bySchema = verdicts.flatMap((verdict) =>
      verdict.refusal === undefined || isByAdmission(verdict) ? [] : [{ host: verdict.host, said: verdict.refusal }],
    );
    await withoutAdmission(byAdmission.map(({ host }) => host));

    const spoilt = new Set(bySchema.map(({ host }) => host.name));
    const schematic = hosts.filter(({ name }) => !spoilt.has(name));
    for (let from = 0; from < schematic.length; from += BATCH) {
      const good = `good-${from}`;
      const creating = each(schematic.slice(from, from + BATCH), create);
      await apply(lab, fixtureSecret(good), fixtureHost(good));
      const created = await creating;
      const admitted = created.filter(({ refusal }) => refusal === undefined).map(({ host }) => host.name);
      turnedDown.push(...created.filter(({ refusal }) => refusal !== undefined));
      await hostIn(lab, good, 'available');
      const silent = await missingAfter(120_000, async () => {
        const [told, unread] = await Promise.all([hostsWithRun(), unreadable()]);
        for (const [name, message] of unread) complained.set(name, message);
        return admitted.filter((name) => !told.has(name) && !unread.has(name));
      });
      unheard.push(...silent);
      await each(admitted, remove);
      const left = await missingAfter(180_000, async () => {
        const there = await hostsLeft();
        return admitted.filter((name) => there.has(name));
      });
      stuck.push(...(await each(left, async (name) => [name, await statusOf(name)])));
    }

    const unread = hosts.flatMap((host) => {
      const said = complained.get(host.name);
      return said === undefined ? [] : [{ host, said }];
    });
    const reached = schematic.length - unheard.length - unread.length;
    process.stdout.write(
      `${COUNT} made-up hosts (seed ${SEED}): the API server refused ${bySchema.length} by their schema and let in ` +
        `${schematic.length}, ${byAdmission.length} of them only without admission; ${reached} reached a workflow, ` +
        `${unread.length} could not be read and got an Event\n`,
    );
    expect.soft([...bySchema, ...unread].filter(({ host, said }) => !namesField(said, host))).toEqual([]);
    expect.soft(byAdmission.filter(({ refusal }) => !SAYS_WHY.test(refusal ?? ''))).toEqual([]);
    expect.soft({ unheard, stuck, turnedDown }).toEqual({ unheard: [], stuck: [], turnedDown: [] });
    expect.soft(reached).toBeGreaterThanOrEqual(COUNT / 2);
    expect.soft(await Promise.all(['bridge', 'workers'].map(complaints))).toEqual([[], []]);
    expect.soft(await timesTold('RespondWorkflowTaskCompleted')).toBeGreaterThan(reached);
    expect.soft(await timesTold('RespondWorkflowTaskFailed')).toBe(0);
    expect.soft(['bridge', 'workers'].map((service) => lab.pidOf(service))).toEqual(pids);
  });
});
