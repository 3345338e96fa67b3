import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { entityWorkflowId, hostWorkflowId, view } from '../../workflows/messages.ts';
import { disruptionsByNode } from '../e2e/support/as-asked.ts';
import { runningWorkers } from '../e2e/support/cluster.ts';
import { withTemporal } from '../e2e/support/histories.ts';
import {
  apply,
  bmcSecret,
  editHost,
  getHost,
  type Host,
  hostGone,
  hostIn,
  hostThat,
  kubectl,
  NAMESPACE,
} from '../e2e/support/hosts.ts';
import type { TestLab } from '../e2e/support/lab.ts';
import { machineOf } from '../e2e/support/metal.ts';
import { requestsRecorded } from '../e2e/support/recorded.ts';
import { LEFT_HOSTS, machineOfHost } from './take-over/hosts.ts';
import { CLUSTER_HOSTS, type Nodes, nodesOf, serversOf } from './take-over/servers.ts';
import { start, startRecord } from './take-over/start.ts';
import { differences, type StoredObjects, storedObjects, traces } from './take-over/stored.ts';
import { CLUSTER } from './take-over/story.ts';

/**
 * Temper takes over what baremetal-operator, cluster-api-provider-metal3 and ip-address-manager left behind: the
 * databases and disks of a lab in which they had run (`scripts/record-take-over.ts`).
 */
const HERE = join(import.meta.dirname, 'take-over');
const AT_REST = Object.keys(LEFT_HOSTS).filter((name) => LEFT_HOSTS[name]?.underWay !== true);

let dir: string;
let lab: TestLab;
/** As the operators left it. */
let before: StoredObjects;
let metalBefore: Awaited<ReturnType<typeof metalOf>>;
let nodesBefore: Nodes;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'temper-take-over-'));
  await startRecord(dir, async (left) => {
    before = await storedObjects(left.kube);
    [metalBefore, nodesBefore] = await Promise.all([metalOf(left), nodesAtRest(left)]);
  });
  lab = await start(dir, { temperEnv: { MAX_PROVISIONING_RETRIES: '1', IRONIC_SWEEP_INTERVAL: '5s' } });
});
afterAll(async () => {
  await lab?.stop();
  if (dir !== undefined) await rm(dir, { recursive: true, force: true });
});

const HOSTS = [...AT_REST, ...CLUSTER_HOSTS];
/** What the machines of hosts at rest are doing. */
const metalOf = async (of: TestLab) =>
  Object.fromEntries(
    Object.entries(await serversOf(of, HOSTS)).map(([name, { power, disk }]) => [name, { power, disk }] as const),
  );
/** The registration of the one with the wrong password is tried again. */
const nodesAtRest = (of: TestLab): Promise<Nodes> =>
  nodesOf(
    of,
    HOSTS.filter((name) => name !== 'wrong-password'),
  );

/** Objects of our kinds and Secrets, without hosts that were under way, and with what Cluster API shows of machines. */
const SUBJECT = /^(?:\w+\.(?:metal3\.io|infrastructure\.cluster\.x-k8s\.io|ipam\.metal3\.io)|Secret) default\/(\S+) /;
const OF_MACHINES = /^Machine\.cluster\.x-k8s\.io \S+ (?:spec\.|status\.(?:phase|nodeRef|addresses)\b)/;
async function changed(): Promise<readonly string[]> {
  const all = Object.entries(differences(before, await storedObjects(lab.kube)));
  return all
    .filter(([path]) => {
      const [, name = ''] = SUBJECT.exec(path) ?? [];
      return OF_MACHINES.test(path) || (name !== '' && LEFT_HOSTS[name.replace(/-bmc$/, '')]?.underWay !== true);
    })
    .map(([path, [was, is]]) => `${path}: ${JSON.stringify(was)} → ${JSON.stringify(is)}`);
}

/** The differences that the pages of conformance name, by the row. */
const NAMED: Readonly<Record<string, RegExp>> = {
  C6: /^BareMetalHost\S+ default\/no-secret status\.conditions\.(?:Manageable|Ready)\.reason: /,
  C94: /^BareMetalHost\S+ \S+ status\.(?:conditions\.\w+\.message|lastUpdated): /,
  C98: /^BareMetalHost\S+ \S+ metadata\.annotations\.temper\/operations: undefined/,
  C127: /^BareMetalHost\S+ default\/(?:given-up|no-secret|wrong-password) status\.conditions\.(?:Reconciling|Stalled)\.\w+: undefined/,
  'm3-C33': /^Metal3Machine\S+ \S+ status\.lastUpdated: /,
  'm3-C165': /^Metal3Machine\S+ \S+ status\.conditions\.AssociateBareMetalHost\.observedGeneration: /,
  // Hosts with an error are tried once more.
  'C1, C13': /^BareMetalHost\S+ default\/(?:given-up|no-secret|wrong-password) status\.(?:errorCount|errorMessage): /,
};
const unnamed = (all: readonly string[]): readonly string[] =>
  all.filter((one) => !Object.values(NAMED).some((named) => named.test(one)));

const metal3Machines = (): readonly string[] =>
  [...before.keys()].flatMap((key) => /^Metal3Machine\.\S+ default\/(\S+)$/.exec(key)?.[1] ?? []);

/** Waits until each object has a run that waits for nothing but a change, and two looks show the same objects. */
async function untilTakenOver(): Promise<void> {
  let last: readonly string[] | undefined;
  await vi.waitFor(
    async () => {
      const ids = [
        ...HOSTS.map((name) => hostWorkflowId({ namespace: NAMESPACE, name })),
        ...metal3Machines().map((name) => entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name })),
      ];
      const views = await withTemporal(lab, ({ workflow }) =>
        Promise.all(ids.map((id) => workflow.getHandle(id).query(view))),
      );
      expect(ids.filter((_, index) => views[index] === undefined)).toEqual([]);
      const now = await changed();
      const isStill = JSON.stringify(now) === JSON.stringify(last);
      last = now;
      expect(isStill).toBe(true);
    },
    { timeout: 600_000, interval: 5_000 },
  );
}

const imageOf = (label: string) => {
  const url = `${lab.endpoints.images}/${label}-1MiB.raw`;
  return { url, checksum: `${url}.sha256`, checksumType: 'sha256' };
};
const annotate = (name: string, annotation: string): Promise<string> =>
  kubectl(lab, ['annotate', 'bmh', name, annotation]);
const isOn =
  (on: boolean) =>
  ({ status }: Host): boolean =>
    status.poweredOn === on && status.provisioning.state === 'provisioned';
const disk = async (name: string) => (await machineOf(lab, machineOfHost(name))).disk;
const addresses = async (): Promise<readonly string[]> =>
  (await kubectl(lab, ['get', 'ipaddresses.ipam.metal3.io', '-o', 'jsonpath={.items[*].spec.address}']))
    .split(' ')
    .toSorted();

describe('what the operators of Metal3 leave behind', () => {
  test('is that of the record', async () => {
    const text = await readFile(join(HERE, 'traces.txt'), 'utf8');
    expect(`${traces(before).join('\n')}\n`).toBe(text);
  });
});

describe('the take-over', () => {
  let disrupted: Awaited<ReturnType<typeof disruptionsByNode>>;
  let requests: Awaited<ReturnType<typeof requestsRecorded>>;
  beforeAll(async () => {
    await untilTakenOver();
    [disrupted, requests] = await Promise.all([disruptionsByNode(lab), requestsRecorded(lab)]);
  });

  test('sends Ironic nothing that disturbs a server at rest', async () => {
    const names = Object.keys(LEFT_HOSTS).filter((name) => !AT_REST.includes(name));
    const underWay = await Promise.all(
      names.map(async (name) => (await getHost(lab, name))?.status.provisioning.ID ?? ''),
    );
    const kinds = ['power', 'create node', 'delete node'];
    const switched = requests.flatMap(({ kind, node = '' }) => (kinds.includes(kind) ? [node] : []));
    expect([...Object.keys(disrupted), ...switched].filter((node) => !underWay.includes(node))).toEqual([]);
  });

  test('leaves power and disks as they were', async () => {
    expect(await metalOf(lab)).toEqual(metalBefore);
  });

  test('leaves the nodes in Ironic as they were', async () => {
    expect(await nodesAtRest(lab)).toEqual(nodesBefore);
  });

  test('changes no object but as the pages of conformance say', async () => {
    expect(unnamed(await changed())).toEqual([]);
  });
});

describe('after the take-over', () => {
  test('what was under way comes to its end', async () => {
    await Promise.all(['inspecting', 'deprovisioning'].map((name) => hostIn(lab, name, 'available')));
    // One before it was deployed, and the one that was under way.
    expect(await disk('deprovisioning')).toMatchObject({ image: null, erasures: 2 });
  });

  test('for what was under way Ironic is asked for no second inspection or erasure', async () => {
    const names = Object.keys(LEFT_HOSTS).filter((name) => LEFT_HOSTS[name]?.underWay === true);
    const nodes = await Promise.all(names.map(async (name) => (await getHost(lab, name))?.status.provisioning.ID));
    const asked = (await requestsRecorded(lab)).filter(
      ({ kind, node }) => kind === 'provision' && nodes.includes(node),
    );
    expect(asked).toEqual([]);
  });

  test('a host gets another image', async () => {
    await editHost(lab, 'plain', { image: imageOf('next') });
    await hostThat(lab, 'plain', 'deployed anew', ({ status }) => {
      const { state, image } = status.provisioning;
      return state === 'provisioned' && image?.url === imageOf('next').url;
    });
    expect(await disk('plain')).toMatchObject({ image: { url: imageOf('next').url }, writes: 2 });
  });

  test('free hosts get an image', async () => {
    const names = ['free-on', 'free-again'];
    for (const name of names) await editHost(lab, name, { image: imageOf('first') });
    await editHost(lab, 'free-off', { online: true, image: imageOf('first') });
    for (const name of [...names, 'free-off']) {
      await hostIn(lab, name, 'provisioned');
      expect(await disk(name)).toMatchObject({ image: { url: imageOf('first').url } });
    }
  });

  test('a host that was given up gets another attempt with another image', async () => {
    await editHost(lab, 'given-up', { image: imageOf('good') });
    await hostIn(lab, 'given-up', 'provisioned');
  });

  test('hosts that are off are switched on', async () => {
    await editHost(lab, 'off', { online: true });
    await annotate('held', 'reboot.metal3.io/maintenance-');
    for (const name of ['off', 'held']) {
      await hostThat(lab, name, 'on', isOn(true));
      expect(await disk(name)).toEqual(metalBefore[name]?.disk);
    }
  });

  test('hosts that could not be registered are, with the right credentials', async () => {
    for (const name of ['wrong-password', 'no-secret']) {
      await apply(lab, bmcSecret(lab, name));
      await hostIn(lab, name, 'available');
    }
  });

  test('a detached host is taken back without a deployment, and a paused one obeys again', async () => {
    await annotate('detached', 'baremetalhost.metal3.io/detached-');
    await hostThat(lab, 'detached', 'back', ({ status }) => status.operationalStatus === 'OK');
    expect(await disk('detached')).toEqual(metalBefore['detached']?.disk);
    await editHost(lab, 'paused', { online: false });
    await annotate('paused', 'baremetalhost.metal3.io/paused-');
    await hostThat(lab, 'paused', 'off', isOn(false));
    expect(await disk('paused')).toEqual(metalBefore['paused']?.disk);
  });

  test('hosts are deleted: what is deployed by an operator is erased, what others installed is not touched', async () => {
    for (const name of ['with-data', 'external', 'unmanaged', 'live']) {
      await kubectl(lab, ['delete', 'bmh', name, '--wait=false']);
      await hostGone(lab, name);
    }
    expect(await disk('with-data')).toMatchObject({ image: null });
    expect(await disk('external')).toEqual(metalBefore['external']?.disk);
    await kubectl(lab, ['wait', '--for=delete', 'secret/with-data-bmc', '--timeout=600s']);
  });

  test('a cluster gets one more machine with the next address, and gives both back', async () => {
    const had = await addresses();
    expect(had).toEqual(['172.22.200.10', '172.22.200.11', '172.22.200.12']);
    await kubectl(lab, ['scale', `machinedeployment/${CLUSTER}`, '--replicas=3']);
    await runningWorkers(lab, CLUSTER, 3);
    expect(await addresses()).toEqual([...had, '172.22.200.13']);
    await kubectl(lab, ['scale', `machinedeployment/${CLUSTER}`, '--replicas=1']);
    await runningWorkers(lab, CLUSTER, 1);
    await vi.waitFor(async () => expect(await addresses()).toHaveLength(2), { timeout: 600_000, interval: 1_000 });
    const free = 'jsonpath={range .items[*]}{.status.provisioning.state}{" "}{.spec.consumerRef.name}{"\\n"}{end}';
    await vi.waitFor(
      async () => {
        const rows = (await kubectl(lab, ['get', 'bmh', '-l', `cluster=${CLUSTER}`, '-o', free])).split('\n');
        expect(rows.filter((row) => row.trim() === 'available')).toHaveLength(2);
      },
      { timeout: 600_000, interval: 1_000 },
    );
  });
});
