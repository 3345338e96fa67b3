import { expect, test, vi } from 'vitest';
import { createKubernetesActivities } from '../activities/kubernetes/activities.ts';
import { createDataClaimTaskActivities } from '../activities/kubernetes/data/claims.ts';
import { createDataActivities } from '../activities/kubernetes/data/data.ts';
import { createHostData } from '../activities/kubernetes/host/host-data.ts';
import { createAddressActivities } from '../activities/kubernetes/ipam/addresses.ts';
import { createOwnNodeActivities } from '../activities/kubernetes/machine-api/own-nodes.ts';
import { FINALIZERS } from '../api/baremetalhost/values.ts';
import { DATA_IMAGE_FINALIZER } from '../api/dataimage/kind.ts';
import { ADDRESS_FINALIZERS } from '../api/ipam/kind.ts';
import { DATA_CLAIM_FINALIZER } from '../api/metal3dataclaim/kind.ts';
import { MACHINE_FINALIZER } from '../api/metal3machine/kind.ts';
import { IMAGE_FINALIZERS } from '../api/preprovisioningimage/values.ts';
import { clean } from '../cli/uninstall/objects.ts';
import { FIXTURE_HARDWARE } from '../domain/fixture/hardware.ts';
import { LEGACY_NODE_FINALIZER } from '../domain/machine-api/names.ts';
import { createBuildImage } from '../k8s-bridge/images/build-image.ts';
import { createKeepDataImage } from '../k8s-bridge/images/data-images.ts';
import { createLedger } from '../k8s-bridge/ledger.ts';
import { createReleaseSecrets } from '../k8s-bridge/secrets/release-secrets.ts';
import type { Kube } from '../kube/client.ts';
import { type FollowedKind, isSameKind, KINDS } from '../kube/kinds.ts';
import { marksKept } from '../kube/objects/secret.ts';
import { collectionPath, nodePath, objectPath, type Resource } from '../kube/paths.ts';
import { createStore } from '../kube/store.ts';
import { objectsInMemory, type StoredObject } from '../test/builders/objects-in-memory.ts';
import { type WrittenField, writtenFields } from './written-fields.ts';

/**
 * Claims, releases and finalizers are written with the resourceVersion that was read, and objects are deleted with the
 * uid that was read. The mark of a host is in `activities/freshness/fresh-host.test.ts`, the writes of the bridge in
 * `k8s-bridge/publish/write.test.ts`.
 */
const NAMESPACE = 'metal';
const at = (name: string) => ({ namespace: NAMESPACE, name, uid: `${name}-uid` });
const [HOST, MACHINE, LEAVING, DATA, POOL] = [at('host-1'), at('m-1'), at('m-2'), at('racks-0'), at('lan')];
const NODE = {
  node: { name: 'node-1', uid: 'node-1-uid' },
  machine: { ...at('m-9'), api: KINDS.openShiftMachine.apiVersion },
};
const deletionTimestamp = '2026-01-01T00:00:01Z';
const GONE = { name: 'gone', uid: 'gone-uid' };

interface Versioned {
  readonly metadata?: { readonly resourceVersion?: string; readonly finalizers?: unknown };
  readonly spec?: { readonly consumerRef?: unknown };
}

/** The writes that would also change an object that others have changed or recreated since it was read. */
async function aWorld() {
  const { kube: stored } = objectsInMemory();
  const put = (kind: Resource, name: string, metadata: object = {}, rest: object = {}): Promise<unknown> =>
    stored.request({
      method: 'POST',
      path: collectionPath(kind, NAMESPACE),
      body: { ...rest, metadata: { ...at(name), ...metadata } },
    });
  const consumerRef = (name: string) => ({
    apiVersion: 'infrastructure.cluster.x-k8s.io/v1beta1',
    kind: 'Metal3Machine',
    name,
    namespace: NAMESPACE,
  });
  const bmc = { address: 'redfish://bmc', credentialsName: 'login' };
  const network = { preprovisioningNetworkDataName: 'net' };
  await put(KINDS.host, 'host-1', {}, { spec: { bmc, ...network } });
  await put(KINDS.host, 'host-2', {}, { spec: { bmc, consumerRef: consumerRef('m-2') } });
  await put(KINDS.host, 'host-3', { deletionTimestamp, finalizers: ['baremetalhost.metal3.io'] }, { spec: {} });
  const ownerReferences = [{ apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', ...at('host-3') }];
  await put(KINDS.secret, 'login', {
    finalizers: [FINALIZERS.secret],
    labels: { 'cluster.x-k8s.io/cluster-name': 'old' },
    ownerReferences,
  });
  await put(KINDS.secret, 'net');
  await put(KINDS.secret, 'left', { finalizers: [FINALIZERS.secret], deletionTimestamp });
  await put(KINDS.preprovisioningImage, 'host-1', {}, { spec: {} });
  const leaves = { deletionTimestamp, finalizers: [IMAGE_FINALIZERS.builder] };
  await put(KINDS.preprovisioningImage, 'host-2', leaves, { spec: {} });
  await put(KINDS.dataImage, 'host-1', {}, { spec: { url: 'http://images/a.iso' } });
  await put(KINDS.dataImage, 'gone', { deletionTimestamp, finalizers: [DATA_IMAGE_FINALIZER] });
  await put(KINDS.hardwareData, 'host-1');
  await put(KINDS.hardwareData, 'host-3', { finalizers: [FINALIZERS.hardwareData] });
  await put(KINDS.metal3Machine, 'm-1', { finalizers: [MACHINE_FINALIZER] }, { spec: {} });
  await put(KINDS.metal3Machine, 'm-2', { finalizers: [MACHINE_FINALIZER], deletionTimestamp }, { spec: {} });

  await put(KINDS.openShiftMachine, 'm-9', { deletionTimestamp, finalizers: ['theirs'] }, { spec: {} });
  const metadata = { name: 'node-1', uid: 'node-1-uid', finalizers: [LEGACY_NODE_FINALIZER] };
  await stored.request({ method: 'POST', path: nodePath(), body: { metadata, spec: {} } });

  const template = { template: { name: 'racks' } };
  const owner = [{ apiVersion: KINDS.metal3Machine.apiVersion, kind: 'Metal3Machine', name: 'm-1', uid: 'm-1-uid' }];
  const held = { finalizers: [DATA_CLAIM_FINALIZER] };
  await put(KINDS.dataClaim, 'm-1', { ownerReferences: owner }, { spec: template });
  await put(KINDS.dataClaim, 'm-2', { finalizers: [MACHINE_FINALIZER] }, { spec: template });
  await put(KINDS.dataClaim, 'm-3', { ...held, deletionTimestamp }, { spec: template });
  await put(KINDS.data, 'racks-3', held, { spec: { index: 3, ...template, claim: { name: 'm-3' } } });
  await put(KINDS.data, 'racks-4', { ...held, deletionTimestamp }, { spec: { claim: { name: 'nobody' } } });

  const addresses = { start: '10.0.0.1', end: '10.0.0.9' };
  await put(KINDS.ipPool, 'lan', {}, { spec: { namePrefix: 'p', pools: [addresses], clusterName: 'prod' } });
  const ours = { finalizers: [ADDRESS_FINALIZERS.IPClaim.claim] };
  const pool = { pool: { name: 'lan' } };
  const poolRef = { poolRef: { name: 'lan', kind: 'IPPool', apiGroup: 'ipam.metal3.io' } };
  await put(KINDS.ipClaim, 'a', {}, { spec: pool });
  await put(KINDS.ipAddressClaim, 'b', {}, { spec: poolRef });
  await put(KINDS.ipClaim, 'c', { ...ours, deletionTimestamp }, { spec: pool });
  const address = (claim: string, value: string) => ({ spec: { ...pool, address: value, claim: { name: claim } } });
  const keeps = { finalizers: [ADDRESS_FINALIZERS.IPClaim.address] };
  await put(KINDS.ipAddress, 'p-10-0-0-3', keeps, address('c', '10.0.0.3'));
  await put(KINDS.ipAddress, 'p-10-0-0-4', { ...keeps, deletionTimestamp }, address('nobody', '10.0.0.4'));
  const finalizers = ['metal3data.infrastructure.cluster.x-k8s.io'];
  const ofData = [{ apiVersion: KINDS.data.apiVersion, kind: 'Metal3Data', ...GONE }];
  await put(KINDS.ipClaim, 'd', { finalizers, ownerReferences: ofData }, { spec: pool });
  await put(KINDS.ipClaim, 'e', { finalizers, ownerReferences: ofData, deletionTimestamp }, { spec: pool });

  const seen = new Map<string, string | undefined>();
  const blind: string[] = [];
  const written: string[] = [];
  let isHeld = false;
  const see = <T>(path: string, object: T): T => {
    seen.set(path, (object as Versioned | undefined)?.metadata?.resourceVersion);
    return object;
  };
  const check = (method: string, path: string, body: unknown): void => {
    const { metadata, spec } = body as Versioned;
    const version = metadata?.resourceVersion;
    if (version === undefined || version !== seen.get(path)) blind.push(`${method} ${path}`);
    if (metadata?.finalizers !== undefined || spec?.consumerRef !== undefined) isHeld = true;
    written.push(path);
  };
  const kube: Kube = {
    ...stored,
    find: async (path) => see(path, await stored.find(path)),
    async patch(path, body) {
      const key = path.replace(/\/status$/, '');
      check('PATCH', key, body);
      return see(key, await stored.patch(path, body));
    },
    request(call) {
      const { preconditions = {} } = (call.body ?? {}) as { readonly preconditions?: { readonly uid?: string } };
      if (call.method === 'PUT') check('PUT', call.path, call.body);
      if (call.method === 'DELETE') written.push(call.path);
      if (call.method === 'DELETE' && preconditions.uid === undefined) blind.push(`DELETE ${call.path}`);
      return stored.request(call);
    },
  };
  const activities = {
    ...createKubernetesActivities({ kube, defaultArchitecture: 'x86_64' }),
    ...createDataClaimTaskActivities({ kube }),
    ...createDataActivities({ kube, namesClaimsAfterHosts: false }),
    ...createAddressActivities({ kube }),
    ...createOwnNodeActivities(kube),
    ...createHostData(kube, () => undefined),
    ...bridgeOn(kube),
    async takeOff(name: string) {
      const object = await kube.find(objectPath(KINDS.host, at(name)));
      const cleaning = { parts: ['hosts'], left: [] } as const;
      await clean(kube, { kind: KINDS.host, object, name, isFreed: true, cleaning });
    },
  };
  /** Finalizers or a consumer were written. */
  const holds = (): boolean => isHeld;
  return { activities, blind, holds, written: () => written.map((path) => path.split('/').slice(-3).join('/')) };
}

/** What the bridge itself writes beside what it publishes: `k8s-bridge/publish/write.test.ts`. */
function bridgeOn(kube: Kube) {
  const stores = createStore();
  /** The cache of the bridge has these objects. */
  const cached = async (kind: FollowedKind, name: string): Promise<void> => {
    const object = (await kube.find(objectPath(kind, at(name)))) as StoredObject;
    stores.put(kind, { ...object.metadata, object: isSameKind(kind, KINDS.secret) ? marksKept(object) : object });
  };
  const log = { info: () => undefined, warn: () => undefined };
  const noUrl = { byArchitecture: {} };
  const urls = { iso: noUrl, kernel: noUrl, ramdisk: noUrl };
  return {
    buildImage: createBuildImage({ kube, urls, now: () => 0 }),
    async keepDataImage(name: string, host?: string) {
      await cached(KINDS.dataImage, name);
      if (host !== undefined) await cached(KINDS.host, host);
      await createKeepDataImage({ kube, stores, ledger: createLedger() })(`${NAMESPACE}/${name}`);
    },
    async releaseSecrets(isDone: () => boolean) {
      await cached(KINDS.secret, 'left');
      const releases = createReleaseSecrets({ kube, store: stores, agentNetworkOf: () => undefined, log });
      releases.serve();
      await vi.waitUntil(isDone);
      await releases.stop();
    },
  };
}

type Activities = Awaited<ReturnType<typeof aWorld>>['activities'];
const claims = (task: object) => ({ namespace: NAMESPACE, template: 'racks', tasks: [task] }) as never;
const pool = (task: object) => ({ name: 'settle', pool: POOL, namePrefix: 'p', tasks: [task] }) as never;
const allocation = { address: '10.0.0.1' };

type World = Awaited<ReturnType<typeof aWorld>>;
const WRITES: readonly (readonly [string, (on: Activities, world: World) => Promise<unknown>, writes: number])[] = [
  ['claim of a host', (on) => on.takeHost({ host: HOST, machine: MACHINE, clusterName: 'prod' }), 2],
  ['release of a host', (on) => on.giveHostBack({ host: at('host-2'), machine: LEAVING, clusterName: 'old' }), 2],
  ['move of a host that is held up', (on) => on.blockMove({ host: at('host-2'), machine: LEAVING }), 1],
  ['pause of a host', (on) => on.pauseHost({ host: at('host-2'), machine: LEAVING }), 3],
  ['end of what a host holds', (on) => on.releaseHost({ host: at('host-3'), credentialsName: 'login' }), 2],
  ['hardware of a host', (on) => on.saveHardware(HOST, FIXTURE_HARDWARE), 1],
  [
    'image of an agent for a host',
    (on) => on.requestImage({ host: HOST, desired: { networkDataName: 'net', acceptFormats: ['iso'] } }),
    2,
  ],
  ['image of an agent that is built', (on) => on.buildImage('metal/host-1'), 1],
  ['image of an agent that is let go', (on) => on.buildImage('metal/host-2'), 1],
  ['image in a virtual drive', (on) => on.keepDataImage('host-1', 'host-1'), 1],
  ['image that is in no virtual drive', (on) => on.keepDataImage('gone'), 1],
  ['Secret that no host names', (on, { holds }) => on.releaseSecrets(holds), 1],
  ['finalizer of a Temper that goes', (on) => on.takeOff('host-3'), 1],
  ['Node of a former actuator', (on) => on.linkOwnNode({ ...NODE, providerID: 'x', fills: false }), 1],
  ['data for a claim', (on) => on.settleClaims(claims({ kind: 'give', claim: 'm-1', uid: MACHINE.uid, index: 7 })), 2],
  [
    'message on a claim for data',
    (on) => on.settleClaims(claims({ kind: 'complain', claim: 'm-1', uid: MACHINE.uid, message: 'no' })),
    1,
  ],
  [
    'release of data',
    (on) => on.settleClaims(claims({ kind: 'release', claim: 'm-3', uid: 'm-3-uid', data: 'racks-3' })),
    3,
  ],
  ['data without a claim', (on) => on.settleClaims(claims({ kind: 'let go', data: 'racks-4' })), 1],
  ['end of a claim for data', (on) => on.letDataGo(LEAVING), 2],
  ['claims for addresses of data that is gone', (on) => on.releaseAddresses({ data: { ...DATA, ...GONE } }), 4],
  ['claim for an address that is let go', (on) => on.letClaimsGo({ data: DATA, claims: ['e'] }), 1],
  [
    'address for a claim',
    (on) => on.settleAddresses(pool({ kind: 'give', claim: { kind: 'IPClaim', name: 'a', uid: 'a-uid' }, allocation })),
    2,
  ],
  [
    'address for a claim of Cluster API',
    (on) =>
      on.settleAddresses(
        pool({ kind: 'give', claim: { kind: 'IPAddressClaim', name: 'b', uid: 'b-uid' }, allocation }),
      ),
    2,
  ],
  [
    'refusal of an address',
    (on) =>
      on.settleAddresses(
        pool({
          kind: 'refuse',
          claim: { kind: 'IPClaim', name: 'a', uid: 'a-uid' },
          reason: 'PoolExhausted',
          message: 'none',
        }),
      ),
    1,
  ],
  [
    'release of an address',
    (on) =>
      on.settleAddresses(
        pool({ kind: 'release', claim: { kind: 'IPClaim', name: 'c', uid: 'c-uid' }, names: ['p-10-0-0-3'] }),
      ),
    3,
  ],
  [
    'address without a claim',
    (on) =>
      on.settleAddresses(
        pool({ kind: 'let go', loose: { kind: 'IPClaim', claim: 'nobody', name: 'p-10-0-0-4', address: '10.0.0.4' } }),
      ),
    2,
  ],
];

test.each(WRITES)('%s: each write names what was read', async (name, act, writes) => {
  const world = await aWorld();
  const { activities, blind, holds, written } = world;
  await act(activities, world);
  expect(blind).toEqual([]);
  expect(written()).toHaveLength(writes);
  expect(holds() || !Object.values(TRIED).some((names) => names.includes(name))).toBe(true);
});

/** Files that write finalizers or a consumer, and which of the writes above are theirs. */
const TRIED: Readonly<Record<string, readonly string[]>> = {
  'activities/kubernetes/claims.ts': ['data for a claim', 'address for a claim', 'address for a claim of Cluster API'],
  'activities/kubernetes/host/host-data.ts': ['hardware of a host'],
  'activities/kubernetes/host/images.ts': ['image of an agent for a host'],
  'activities/kubernetes/machine-api/own-nodes.ts': ['Node of a former actuator'],
  'activities/kubernetes/machine/host-claims.ts': ['claim of a host', 'release of a host'],
  'activities/kubernetes/secrets.ts': ['end of what a host holds', 'release of data', 'image of an agent for a host'],
  'cli/uninstall/objects.ts': ['finalizer of a Temper that goes'],
  'k8s-bridge/images/build-image.ts': ['image of an agent that is built', 'image of an agent that is let go'],
  'k8s-bridge/images/data-images.ts': ['image in a virtual drive', 'image that is in no virtual drive'],
  'k8s-bridge/secrets/release-secrets.ts': ['Secret that no host names'],
};

const NEW = 'of a new object';
const NOT_WRITTEN = 'not written to an object';
const PUBLISHED = 'with that of the object, by `change`: k8s-bridge/publish/write.test.ts';

/** Functions that write finalizers or a consumer and name no version, and how the writes get one. */
const WITHOUT_VERSION: Readonly<Record<string, string>> = {
  'activities/kubernetes/host/host-data.ts › createHardware': NEW,
  'activities/kubernetes/host/host-data.ts › hardwareMarks': NEW,
  'activities/kubernetes/host/host-data.ts › writeHardware': 'in the metadata as they were read',
  'activities/kubernetes/machine/data-claims.ts › requestData': NEW,
  'activities/kubernetes/machine/host-claims.ts › releasing': 'by `patchHost`',
  'activities/kubernetes/machine/host-claims.ts › taking': 'by `patchHost`',
  'activities/kubernetes/secrets.ts › claimOf': 'by `marked`',
  'cli/migrate/survey.ts › objectSeen': NOT_WRITTEN,
  'cli/plan/machine.ts › filled': NOT_WRITTEN,
  'cli/plan/machine.ts › released': NOT_WRITTEN,
  'domain/data/manifests.ts › dataManifest': NEW,
  'domain/data/manifests.ts › ipAddressClaimManifest': NEW,
  'domain/data/manifests.ts › ipClaimManifest': NEW,
  'domain/discovery/host-object.ts › hostObject': NEW,
  'domain/host/memory/consumer.ts › withConsumerOf': NOT_WRITTEN,
  'domain/ip-pool/manifests.ts › addressManifest': NEW,
  'domain/migration/take-off.ts › cleaned': NOT_WRITTEN,
  'k8s-bridge/images/data-images.ts › claimOf': 'by `change`',
  'k8s-bridge/images/data-images.ts › letGo': 'by `change`',
  'k8s-bridge/publish/patches.ts › finalizerPatch': PUBLISHED,
  'k8s-bridge/publish/write.ts › withoutFinalizer': PUBLISHED,
};

const placeOf = ({ file, name }: WrittenField): string => `${file} › ${name}`;

test('every function that writes finalizers or a consumer names the version that was read, or its caller does', () => {
  const places = writtenFields().filter(({ namesVersion }) => !namesVersion);
  expect([...new Set(places.map(placeOf))].toSorted()).toEqual(Object.keys(WITHOUT_VERSION).toSorted());
});

test('every file with such a write is tried above', () => {
  const elsewhere: readonly (string | undefined)[] = [NEW, NOT_WRITTEN, PUBLISHED];
  const places = writtenFields().filter((field) => !elsewhere.includes(WITHOUT_VERSION[placeOf(field)]));
  const files = new Set(places.map(({ file }) => file));
  expect([...files].toSorted()).toEqual([...new Set(Object.keys(TRIED))].toSorted());
  expect(
    Object.values(TRIED)
      .flat()
      .filter((name) => !WRITES.some(([each]) => each === name)),
  ).toEqual([]);
});
