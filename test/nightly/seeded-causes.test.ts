import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { BareMetalHostSpec } from '../../api/baremetalhost/types.ts';
import { kubeconfigWith } from '../../lab/control-plane/account.ts';
import type { Failure } from '../../lab/machines/failure.ts';
import { bootMac } from '../../lab/machines/machine.ts';
import {
  apply,
  bmcSecret,
  createHost,
  editHost,
  fakeHostManifest,
  getHost,
  hostIn,
  hostManifest,
  hostThat,
  kubectl,
  NAMESPACE,
  secret,
} from '../e2e/support/hosts.ts';
import { serveClusterApi } from '../e2e/support/kinds.ts';
import { aLab, type TestLab } from '../e2e/support/lab.ts';
import { aCluster, aMachine, aNode, create, type MachineWish, on, ownedBy } from '../e2e/support/machines.ts';
import { letFail } from '../e2e/support/metal.ts';
import { aReader, type Reader } from '../e2e/support/reader.ts';
import { startApiWithoutConductor } from './causes/ironic-api.ts';
import { NOWHERE, startUselessServers, type UselessServers } from './causes/servers.ts';
import { type Asked, toldOf } from './causes/told.ts';

/**
 * Whatever keeps a host, a machine or a cluster waiting on a lab with real Ironic: each cause is seeded once, and
 * somebody who may read objects alone is told it.
 */
const MACHINES = 27;
/** After the usual time of a state. */
const TOLD_WITHIN_MS = 5_000;
let lab: TestLab;
let folder: string;
let reader: Reader;
let servers: UselessServers;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-causes-'));
});
afterAll(async () => {
  if (folder !== undefined) await rm(folder, { recursive: true });
});

/** One lab after the other: what the seeds use is that of the describe that runs. */
async function openLab(options: Parameters<typeof aLab>[0]): Promise<void> {
  lab = await aLab(options);
  reader = await aReader(lab, folder);
  await apply(lab, secret('fake-bmc', { username: 'admin', password: 'password' }));
}

async function closeLab(): Promise<void> {
  await reader?.kube.close();
  await lab?.stop();
}

/** Does what has this cause; who is asked about it. */
type Seed = () => Promise<Asked>;

let machinesGiven = 0;
const nextMachine = (): number => {
  machinesGiven += 1;
  return machinesGiven - 1;
};

const metadata = (name: string) => ({ name, namespace: NAMESPACE });
const host = (name: string): Asked => ({ kind: 'host', name });
const machine = (name: string): Asked => ({ kind: 'machine', name });

interface HostWish {
  readonly spec?: (index: number) => Partial<BareMetalHostSpec>;
  /** null: without a Secret. */
  readonly login?: Record<string, string> | null;
  readonly annotations?: Record<string, string>;
  readonly failures?: readonly Failure[];
}

/** A host on a machine of its own. */
async function aHost({ spec, login = {}, annotations = {}, failures = [] }: HostWish): Promise<Asked> {
  const index = nextMachine();
  await letFail(lab, index, ...failures);
  const manifest = hostManifest(lab, index, spec?.(index));
  const { metadata } = manifest;
  if (login !== null) await apply(lab, bmcSecret(lab, metadata.name, login));
  await apply(lab, { ...manifest, metadata: { ...metadata, annotations } });
  return host(metadata.name);
}

/** A host that is in this state before the machine gets its failures and the host another spec. */
async function afterwards(
  before: { readonly state: string; readonly spec?: Partial<BareMetalHostSpec> },
  spec: object,
  ...failures: readonly Failure[]
): Promise<Asked> {
  const index = nextMachine();
  const name = await createHost(lab, index, before.spec);
  await hostIn(lab, name, before.state);
  await letFail(lab, index, ...failures);
  await editHost(lab, name, spec);
  return host(name);
}

type ImageChange = Partial<NonNullable<BareMetalHostSpec['image']>>;
const image = (change: ImageChange = {}) => ({ image: { ...lab.endpoints.testImage, ...change } });
const deploying = (change: ImageChange, ...failures: readonly Failure[]): Promise<Asked> =>
  afterwards({ state: 'available' }, image(change), ...failures);
const imageAt = (address: string, scheme = 'http'): Promise<Asked> =>
  deploying({ url: `${scheme}://${address}/disk.raw` });
/** The agent fails in the step that writes the image. */
const failingToWrite = (message: string): Promise<Asked> =>
  deploying({}, { kind: 'deploy-step', step: 'write_image', message });
const bmcAt = (address: string): Promise<Asked> =>
  aHost({
    spec: (index) => ({
      bmc: {
        address: `redfish-virtualmedia+https://${address}/redfish/v1/Systems/${lab.machines[index]?.uuid}`,
        credentialsName: `host-${index}-bmc`,
      },
    }),
  });

/** A host of Ironic's fake driver with this name, which only the machine of this name selects. */
async function aFakeHost(name: string): Promise<void> {
  const { metadata, ...rest } = fakeHostManifest(name, { online: true }) as { metadata: object };
  await apply(lab, { ...rest, metadata: { ...metadata, labels: { for: name } } });
  await hostIn(lab, name, 'available');
}

/** A machine with a host of the fake driver. */
async function aPlacedMachine(name: string, cluster = 'prod', spec: object = {}): Promise<Asked> {
  await aFakeHost(name);
  await aMachine(lab, cluster, name, { spec: { ...on(name), ...spec } });
  return machine(name);
}

/** A machine that gets no host, because its selector matches none. */
async function aMachineWithout(name: string, cluster: string, wish: MachineWish = {}): Promise<Asked> {
  await aMachine(lab, cluster, name, { ...wish, spec: { ...on('nobody'), ...wish.spec } });
  return machine(name);
}

async function aTemplatedMachine(name: string, template: object): Promise<Asked> {
  await create(lab, 'metal3DataTemplate', name, { spec: { clusterName: 'prod', ...template } });
  return aPlacedMachine(name, 'prod', { dataTemplate: { name } });
}

const fromPool = (name: string): object => ({ metaData: { ipAddressesFromPool: [{ key: 'address', name }] } });

/** A machine whose host runs, with a Node for each of these names that shows the uid of the host. */
async function aRunningMachine(name: string, nodes: readonly string[], spec: object = {}): Promise<Asked> {
  const asked = await aPlacedMachine(name);
  const { metadata } = await hostIn(lab, name, 'provisioned');
  for (const node of nodes) await aNode(lab, node, { 'metal3.io/uuid': metadata.uid }, spec);
  return asked;
}

async function withKubeconfig(cluster: string, kubeconfig: string): Promise<void> {
  await apply(lab, secret(`${cluster}-kubeconfig`, { value: kubeconfig }));
}

/** By the cause that each has. */
const SEEDS: Readonly<Record<string, Seed>> = {
  'bmc-secret-missing': () => aHost({ login: null }),
  'bmc-secret-incomplete': () => aHost({ login: { password: '' } }),
  'bmc-password': () => aHost({ login: { password: 'wrong' } }),
  'bmc-system-unknown': () =>
    aHost({
      spec: (index) => ({
        bmc: {
          address: `redfish-virtualmedia+${lab.endpoints.redfish}/redfish/v1/Systems/00000000-0000-0000-0000-000000000000`,
          credentialsName: `host-${index}-bmc`,
        },
      }),
    }),
  'bmc-unreachable': () => bmcAt(NOWHERE),
  'bmc-certificate': () => bmcAt(servers.untrusted),
  'bmc-certificate-expired': () => bmcAt(servers.expired),
  'mac-in-use': async () => {
    const first = nextMachine();
    const name = await createHost(lab, first);
    await hostThat(lab, name, 'registered', ({ status }) => status.provisioning.ID !== '');
    return aHost({ spec: () => ({ bootMACAddress: bootMac(lab.machines[first] as (typeof lab.machines)[number]) }) });
  },
  'agent-silent-inspection': () => aHost({ failures: [{ kind: 'silent-agent' }] }),
  'inspection-failed': () => aHost({ failures: [{ kind: 'inspection', message: 'the bus is on fire' }] }),
  // The disks are not cleaned first: otherwise the agent is silent during that.
  'agent-silent-deploy': () =>
    afterwards({ state: 'available', spec: { automatedCleaningMode: 'disabled' } }, image(), { kind: 'silent-agent' }),
  'agent-silent-cleaning': () =>
    afterwards({ state: 'provisioned', spec: image() }, { image: null }, { kind: 'silent-agent' }),
  'clean-step': () =>
    afterwards(
      { state: 'provisioned', spec: image() },
      { image: null },
      { kind: 'clean-step', message: 'Error erasing block device: /dev/sda: input/output error' },
    ),
  'deploy-step': () => failingToWrite('the disk is on fire'),
  'disk-too-small': () =>
    failingToWrite('Unable to write image to device /dev/sda. Error: [Errno 28] No space left on device'),
  'permission-denied': () =>
    failingToWrite('Unable to write image to device /dev/sda. Error: [Errno 13] Permission denied'),
  'root-device-hints': () =>
    failingToWrite(`No suitable device was found for deployment using these hints {'name': 's== /dev/sdz'}`),
  raid: () => aHost({ spec: () => ({ raid: { hardwareRAIDVolumes: [{ level: '1' }] } }) }),
  'image-not-found': () => deploying({ url: `${lab.endpoints.images}/none` }),
  'image-checksum-wrong': () => deploying({ checksum: '0'.repeat(64) }),
  'image-checksum-file': () => deploying({ checksum: `${lab.endpoints.images}/other-1MiB.raw.sha256` }),
  'image-forbidden': () => imageAt(servers.forbidden),
  'image-certificate': () => imageAt(servers.untrusted, 'https'),
  'image-unreachable': () => imageAt(NOWHERE),
  'data-secret-missing': () => afterwards({ state: 'available' }, { ...image(), userData: { name: 'nowhere' } }),
  adoption: () =>
    aHost({
      spec: () => ({ externallyProvisioned: true, image: { url: lab.endpoints.deployIso, format: 'live-iso' } }),
    }),
  'step-held': () => aHeldHost('step-held', { 'temper/approval': 'erase' }, { ...fakeImage, online: true }),
  'wants-to-be-off': () => aHeldHost('wants-to-be-off', {}, { ...fakeImage, online: false }),
  paused: () => aHeldHost('paused', { 'baremetalhost.metal3.io/paused': 'power work' }, { online: true }),
  quarantine: () => aHeldHost('quarantine', { 'temper/quarantine': 'the fan is loud' }, { online: true }),
  detached: async () => {
    const { name } = await aHeldHost('detached', {}, { online: true, ...fakeImage });
    await hostIn(lab, name, 'provisioned');
    await apply(lab, {
      ...fakeHostManifest(name, { online: true, ...fakeImage }),
      metadata: { ...metadata(name), annotations: { 'baremetalhost.metal3.io/detached': 'true' } },
    });
    return host(name);
  },
  'no-bmc': async () => {
    const { metadata, ...rest } = fakeHostManifest('no-bmc', { online: true }) as { metadata: object; spec: object };
    await apply(lab, { ...rest, metadata, spec: { online: true } });
    return host('no-bmc');
  },

  'selector-matches-nothing': () => aMachineWithout('choosy', 'prod'),
  'selector-invalid': () =>
    aMachineWithout('odd', 'prod', { spec: { hostSelector: { matchLabels: { 'rack 1': 'a' } } } }),
  'hosts-taken': async () => {
    await aPlacedMachine('taken');
    await hostThat(lab, 'taken', 'consumed', ({ spec }) => spec['consumerRef'] !== undefined);
    await aMachine(lab, 'prod', 'late', { spec: on('taken') });
    return machine('late');
  },
  'node-missing': () => aRunningMachine('nodeless', []),
  'node-other-provider-id': () => aRunningMachine('stray', ['stray'], { providerID: 'openstack:///1' }),
  'node-ambiguous': () => aRunningMachine('twice', ['twice', 'twice-again']),
  'kubeconfig-missing': async () => {
    await lab.kube.request({ method: 'DELETE', path: `/api/v1/namespaces/${NAMESPACE}/secrets/keyless-kubeconfig` });
    return aPlacedMachine('keyless-1', 'keyless');
  },
  'workload-refuses': async () => {
    await withKubeconfig('foreign', await kubeconfigWith('not-a-token', lab.endpoints.kubeconfig));
    return aPlacedMachine('foreign-1', 'foreign');
  },
  'workload-unreachable': async () => {
    const kubeconfig = await kubeconfigWith('not-a-token', lab.endpoints.kubeconfig);
    await withKubeconfig('silent', kubeconfig.replace(/server: \S+/, `server: https://${NOWHERE}`));
    return aPlacedMachine('silent-1', 'silent');
  },
  'template-missing': () => aPlacedMachine('untemplated', 'prod', { dataTemplate: { name: 'nowhere' } }),
  'template-bad': () =>
    aTemplatedMachine('bad-template', { metaData: { fromHostInterfaces: [{ key: 'mac', interface: 'eth7' }] } }),
  'pool-missing': () => aTemplatedMachine('poolless', fromPool('nowhere')),
  'pool-exhausted': async () => {
    const apiVersion = 'ipam.metal3.io/v1alpha1';
    const pools = [{ start: '192.0.2.1', end: '192.0.2.1' }];
    await apply(
      lab,
      { apiVersion, kind: 'IPPool', metadata: metadata('empty'), spec: { namePrefix: 'empty', prefix: 24, pools } },
      { apiVersion, kind: 'IPClaim', metadata: metadata('holder'), spec: { pool: { name: 'empty' } } },
    );
    await kubectl(lab, [
      'wait',
      `-n${NAMESPACE}`,
      'ipclaim/holder',
      '--for=jsonpath={.status.address}',
      '--timeout=600s',
    ]);
    return aTemplatedMachine('addressless', fromPool('empty'));
  },
  'bootstrap-data-missing': async () => {
    const name = 'bootless';
    const labels = { 'cluster.x-k8s.io/cluster-name': 'prod' };
    const bootstrap = { configRef: { apiGroup: 'bootstrap', kind: 'KubeadmConfig', name } };
    const owner = await create(lab, 'machine', name, {
      metadata: { labels },
      spec: { clusterName: 'prod', bootstrap },
    });
    const ownerReferences = [ownedBy('machine', owner)];
    await create(lab, 'metal3Machine', name, { metadata: { labels, ownerReferences }, spec: image() });
    return machine(name);
  },
  'machine-without-owner': async () => {
    await create(lab, 'metal3Machine', 'ownerless', { spec: image() });
    return machine('ownerless');
  },
  'machine-paused': () =>
    aMachineWithout('paused-machine', 'prod', { metadata: { annotations: { 'cluster.x-k8s.io/paused': '' } } }),
  'infrastructure-not-ready': async () => {
    await create(lab, 'cluster', 'bare', {});
    return aMachineWithout('early', 'bare');
  },
  'cluster-paused': async () => {
    await lab.kube.patch(`/apis/cluster.x-k8s.io/v1beta2/namespaces/${NAMESPACE}/clusters/stopped`, {
      spec: { paused: true },
    });
    return { kind: 'cluster', name: 'stopped' };
  },
};

const fakeImage = { image: { url: 'http://images/a.raw', checksum: '0'.repeat(64), checksumType: 'sha256' } } as const;

async function aHeldHost(
  name: string,
  annotations: Record<string, string>,
  spec: Partial<BareMetalHostSpec>,
): Promise<Asked> {
  const { metadata, ...rest } = fakeHostManifest(name, spec) as { metadata: object };
  await apply(lab, { ...rest, metadata: { ...metadata, annotations } });
  return host(name);
}

describe('of what keeps hosts, machines and clusters waiting', () => {
  beforeAll(async () => {
    servers = await startUselessServers(folder);
    process.env['REQUESTS_CA_BUNDLE'] = servers.authorities;
    await openLab({ machines: MACHINES });
    await serveClusterApi(lab.kube);
    for (const name of ['prod', 'keyless', 'foreign', 'silent', 'stopped']) await aCluster(lab, name);
  });
  afterAll(async () => {
    await closeLab();
    servers?.close();
  });

  test(`all ${Object.keys(SEEDS).length} causes are told, within five seconds after the usual time of the state`, async () => {
    const told = await Promise.all(
      Object.entries(SEEDS).map(async ([cause, seed]) => {
        const answer = await toldOf(reader, cause, await seed());
        process.stdout.write(`${cause}: told after ${answer.seconds} s: ${answer.causes.join(', ')}\n`);
        return { cause, ...answer };
      }),
    );
    const wrong = told.filter(({ cause, causes, late }) => causes[0] !== cause || late > TOLD_WITHIN_MS);
    expect(wrong).toEqual([]);
  });

  test('an Ironic that is down is told on a host that needs it', async () => {
    await lab.kill('ironic', 'SIGKILL');
    expect(await toldOfNew('needs-ironic', 'ironic-down')).toEqual({ first: 'ironic-down', isInTime: true });
    await lab.start('ironic');
    await hostIn(lab, 'needs-ironic', 'available');
    expect((await getHost(lab, 'needs-ironic'))?.status.errorCount).toBe(0);
  });

  test('an Ironic whose conductor has stopped while its API answers is told on a host that needs it', async () => {
    await lab.kill('ironic', 'SIGTERM');
    const api = await startApiWithoutConductor(lab);
    try {
      const told = await toldOfNew('needs-conductor', 'conductor-gone');
      expect(told).toEqual({ first: 'conductor-gone', isInTime: true });
    } finally {
      await api.stop();
    }
    await lab.start('ironic');
    await hostIn(lab, 'needs-conductor', 'available');
    expect((await getHost(lab, 'needs-conductor'))?.status.errorCount).toBe(0);
  });
});

/** What somebody is told of a new host of Ironic's fake driver, once this cause is told, or patience is over. */
async function toldOfNew(
  name: string,
  cause: string,
): Promise<{ readonly first: string | undefined; readonly isInTime: boolean }> {
  const { causes, late } = await toldOf(reader, cause, await aHeldHost(name, {}, { online: true }));
  return { first: causes[0], isInTime: late <= TOLD_WITHIN_MS };
}

/** Longer than it takes to tell the host that waits while the other one has the slot. */
const INSPECTION_SECONDS = 120;

describe('of an Ironic with one slot', () => {
  beforeAll(() =>
    openLab({
      machines: 1,
      fakeHardwareDelay: String(INSPECTION_SECONDS),
      temperEnv: { PROVISIONING_LIMIT: '1' },
    }),
  );
  afterAll(closeLab);

  test('a host is told that it waits for its turn, while another host has the slot', async () => {
    // Registering takes as long as inspecting, so both want the slot at the same time.
    const names = ['first', 'second'] as const;
    await Promise.all(names.map((name) => aHeldHost(name, {}, { online: true })));
    const waiting = async (): Promise<string | undefined> => {
      const hosts = await Promise.all(names.map((name) => getHost(lab, name)));
      return names.find((_, at) => hosts[at]?.status.operationalStatus === 'delayed');
    };
    await expect.poll(waiting).toBeDefined();
    const { causes, late } = await toldOf(reader, 'no-slot', host((await waiting()) ?? ''));
    expect({ first: causes[0], isInTime: late <= TOLD_WITHIN_MS }).toEqual({ first: 'no-slot', isInTime: true });
  });
});
