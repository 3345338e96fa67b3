import { beforeEach, describe, expect, test } from 'vitest';
import { ENTITY_KINDS, type EntityKindName } from '../api/kinds.ts';
import { metal3ClusterEntity } from '../domain/cluster/cluster.ts';
import { dataEntity } from '../domain/data/entity.ts';
import { templateEntity } from '../domain/data-template/entity.ts';
import type { Seen } from '../domain/entity/seen.ts';
import { DEFAULT_HOST_SETTINGS } from '../domain/host/memory/settings.ts';
import { ipPoolEntity } from '../domain/ip-pool/entity.ts';
import { machineEntity } from '../domain/machine/next-step.ts';
import { machineApiEntity } from '../domain/machine-api/entity.ts';
import { machineSetEntity } from '../domain/machine-set/entity.ts';
import { type FollowedKind, KINDS } from '../kube/kinds.ts';
import { createStore, type Entry, type Store } from '../kube/store.ts';
import { bytesOf, LONG, largest, largestOfHost } from '../test/builders/payloads.ts';
import { putIn } from '../test/builders/stored-objects.ts';
import { type Binding, isUnreadable, type Tally } from './binding.ts';
import { hostBinding } from './bindings/baremetalhost.ts';
import { clusterBinding } from './bindings/cluster.ts';
import { dataBinding } from './bindings/data.ts';
import { dataTemplateBinding } from './bindings/data-template.ts';
import { ipPoolBinding } from './bindings/ip-pool.ts';
import { machineBinding } from './bindings/machine.ts';
import { machineApiBinding } from './bindings/machine-api/machine.ts';
import { machineSetBinding } from './bindings/machine-api/machine-set.ts';
import { remediationBinding } from './bindings/remediation.ts';
import { sizeProblem } from './signal/snapshot-size.ts';

/** Bytes of one payload. Temporal refuses 2 MB, and the bridge sends no larger snapshots than `sizeProblem` allows. */
const MOST = 1_000_000;
const MANY = 10_000;
const NOW = 1_000_000_000;
/** The longest name of an object. */
const named = (prefix: string, at: number): string => `${prefix}-${at}-`.padEnd(253, 'x');
const each = (count: number, make: (at: number) => unknown): void => {
  for (let at = 0; at < count; at += 1) make(at);
};
const ownedBy = ({ apiVersion, kind }: FollowedKind, name: string) => ({
  ownerReferences: [{ apiVersion, kind, name, uid: `${name}-uid` }],
});

let store: Store;
beforeEach(() => {
  store = createStore();
});
const deps = () => ({ stores: store, lookLater: () => undefined, now: () => NOW });
const template = (): Entry => putIn(store, KINDS.dataTemplate, 'nodes', {});
const poolOf = (spec: object): Entry =>
  putIn(store, KINDS.ipPool, 'lan', { spec: { namePrefix: 'p'.repeat(200), ...spec } });
const observed = (binding: { observe: ReturnType<typeof ipPoolBinding>['observe'] }, entry: Entry): Seen =>
  binding.observe(entry, store, { written: undefined, now: NOW }) as Seen;

const claims = (more: object = {}, status: object = {}): void =>
  each(MANY, (at) =>
    putIn(store, KINDS.dataClaim, named('claim', at), {
      metadata: {
        uid: `${at}`.padStart(36, '0'),
        finalizers: ['metal3dataclaim.infrastructure.cluster.x-k8s.io'],
        ...more,
      },
      spec: { template: { name: 'nodes' } },
      status,
    }),
  );
const data = (more: object = {}): void =>
  each(MANY, (at) =>
    putIn(store, KINDS.data, named('nodes', at), {
      metadata: { finalizers: ['metal3dataclaim.infrastructure.cluster.x-k8s.io'], ...more },
      spec: { index: at * 1_000, claim: { name: named('claim', at) }, template: { name: 'nodes' } },
    }),
  );
const LEAVING = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const OWNED = ownedBy(KINDS.metal3Machine, 'm');

/** The most that the objects of a kind can make of one payload. */
const CASES: readonly (readonly [kind: EntityKindName, what: string, measure: () => number])[] = [
  [
    'Metal3DataTemplate',
    'whose 10,000 claims wait',
    () => {
      claims(OWNED, { errorMessage: LONG });
      return largest(templateEntity, observed(dataTemplateBinding(deps()), template()));
    },
  ],
  [
    'Metal3DataTemplate',
    'whose 10,000 claims have their Metal3Data, with gaps between the indexes, and are all deleted',
    () => {
      claims({ ...OWNED, ...LEAVING });
      data();
      return largest(templateEntity, observed(dataTemplateBinding(deps()), template()));
    },
  ],
  [
    'Metal3DataTemplate',
    'whose 10,000 Metal3Data are deleted and have lost their claims',
    () => {
      data(LEAVING);
      return largest(templateEntity, observed(dataTemplateBinding(deps()), template()));
    },
  ],
  [
    'IPPool',
    'of random IPv6 addresses, 60,000 of which are in use, with 10,000 claims that wait',
    () => {
      each(60_000, (at) => {
        const address = `2001:db8:${(at * 7919).toString(16).slice(-4)}:${(at % 65_521).toString(16)}:1:2:3:4`;
        putIn(store, KINDS.ipAddress, named('address', at), {
          spec: { address, claim: { name: 'x' }, pool: { name: 'lan' } },
        });
      });
      each(MANY, (at) => putIn(store, KINDS.ipClaim, named('claim', at), { spec: { pool: { name: 'lan' } } }));
      const spec = { allocationStrategy: 'random', pools: [{ subnet: '2001:db8::/32', prefix: 64 }] };
      return largest(ipPoolEntity, observed(ipPoolBinding(deps()), poolOf(spec)));
    },
  ],
  [
    'IPPool',
    'of 1.4 MB of ranges and addresses that are kept for claims, each of which asks for its own with an annotation',
    () => {
      const textOf = (at: number): string => `10.${at >> 16}.${(at >> 8) & 255}.${at & 255}`;
      const pools = Array.from({ length: 12_000 }, (_, at) => ({
        start: textOf(2 * at),
        end: textOf(2 * at),
        gateway: '10.255.255.254',
      }));
      const preAllocations = Object.fromEntries(
        Array.from({ length: 2_000 }, (_, at) => [named('claim', at), textOf(4 * at)]),
      );
      each(MANY, (at) =>
        putIn(store, KINDS.ipClaim, named('claim', at), {
          metadata: { annotations: { ipAddress: at % 2 ? textOf(4 * at) : LONG } },
          spec: { pool: { name: 'lan' } },
          status: { errorMessage: `Failed to create ${LONG}` },
        }),
      );
      const entry = poolOf({ pools, preAllocations });
      expect(bytesOf(entry.object)).toBeGreaterThan(1_200_000);
      return largest(ipPoolEntity, observed(ipPoolBinding(deps()), entry));
    },
  ],
  [
    'IPPool',
    'whose 10,000 claims are all deleted, with their IPAddresses',
    () => {
      each(MANY, (at) => {
        const name = named('claim', at);
        const finalizers = ['ipclaim.ipam.metal3.io'];
        putIn(store, KINDS.ipClaim, name, { metadata: { finalizers, ...LEAVING }, spec: { pool: { name: 'lan' } } });
        const spec = { address: `10.0.${at >> 8}.${at & 255}`, claim: { name }, pool: { name: 'lan' } };
        putIn(store, KINDS.ipAddress, named('address', at), {
          metadata: { finalizers: ['ipaddress.ipam.metal3.io'] },
          spec,
        });
      });
      return largest(ipPoolEntity, observed(ipPoolBinding(deps()), poolOf({ pools: [{ subnet: '10.0.0.0/8' }] })));
    },
  ],
  [
    'MachineSet.machine.openshift.io',
    'of 10,000 Machines, with 10,000 more to adopt, of which one is to stay',
    () => {
      const labels = { set: 'workers' };
      const owner = {
        apiVersion: KINDS.openShiftMachine.apiVersion,
        kind: 'MachineSet',
        name: 'workers',
        controller: true,
      };
      each(MANY, (at) => {
        const ownerReferences = [{ ...owner, uid: 'workers-uid' }];
        putIn(store, KINDS.openShiftMachine, named('machine', at), { metadata: { labels, ownerReferences } });
        putIn(store, KINDS.openShiftMachine, named('orphan', at), { metadata: { labels } });
      });
      const entry = putIn(store, KINDS.openShiftMachineSet, 'workers', {
        spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: {} } },
      });
      const binding = machineSetBinding({ settings: { isController: true, fastTrack: false }, defaults: {} });
      return largest(machineSetEntity, observed(binding, entry));
    },
  ],
  [
    'Metal3Remediation',
    'with 10,000 others of the same Machine',
    () => {
      const ownerReferences = [{ apiVersion: KINDS.machine.apiVersion, kind: 'Machine', name: 'machine-1', uid: 'u' }];
      each(MANY, (at) => putIn(store, KINDS.remediation, named('other', at), { metadata: { ownerReferences } }));
      const entry = putIn(store, KINDS.remediation, 'one', { metadata: { ownerReferences } });
      return bytesOf(observed(remediationBinding({ hasMachineApi: false }), entry));
    },
  ],
];

const hosts = hostBinding({ settings: DEFAULT_HOST_SETTINGS, tally: {} as Tally });
const news = () => ({ bridge: 'b', count: 1 });
const machines = machineBinding({
  settings: { providerIdFormat: 'names', fastTrack: false },
  newsOf: news,
  driftOf: () => undefined,
});
const aHostWith = (annotations: object, spec: object = {}, status?: object): Entry => {
  const bmc = { address: 'redfish://192.0.2.1/redfish/v1/Systems/1', credentialsName: 'node-1-bmc' };
  return objectOf(KINDS.host, {
    metadata: { annotations },
    spec: { online: true, bmc, bootMACAddress: '52:54:00:00:00:01', ...spec },
    ...(status && { status }),
  });
};
/** An object as a user has written it. */
function objectOf(
  kind: FollowedKind,
  parts: { readonly metadata?: object; readonly spec?: object; readonly status?: object },
): Entry {
  const entry = putIn(store, kind, 'one', parts);
  return { ...entry, object: { apiVersion: kind.apiVersion, kind: kind.kind, ...(entry.object as object) } };
}
const selector = (count: number) => ({
  matchExpressions: [
    { key: 'rack', operator: 'NotIn', values: Array.from({ length: count }, (_, at) => `rack-${at}`) },
  ],
});

/** What an object can have as much of as somebody likes. The bridge takes as much as its bound allows. */
const OF_ONE: readonly (readonly [
  kind: EntityKindName,
  what: string,
  binding: Binding,
  make: (count: number) => Entry,
  measure: (seen: Seen) => number,
])[] = [
  ...(['{', '', '\u0001'.repeat(1_000)] as const).map(
    (value) =>
      [
        'BareMetalHost',
        `with reboot annotations, each with ${value.length} characters`,
        hosts,
        (count: number) =>
          aHostWith(Object.fromEntries(Array.from({ length: count }, (_, at) => [`reboot.metal3.io/${at}`, value]))),
        largestOfHost,
      ] as const,
  ),
  [
    'BareMetalHost',
    'with disks of a RAID',
    hosts,
    (count) => {
      const physicalDisks = Array.from({ length: count }, (_, at) => `Disk.Direct.${at}`);
      return aHostWith({}, { raid: { hardwareRAIDVolumes: [{ level: '1', controller: 'c', physicalDisks }] } });
    },
    largestOfHost,
  ],
  [
    'BareMetalHost',
    'with an image whose address is long',
    hosts,
    (count) => {
      const url = `http://images/${'a'.repeat(Math.min(count, 60_000))}`;
      return aHostWith({}, { image: { url, checksum: `http://images/${'b'.repeat(count)}` } });
    },
    largestOfHost,
  ],
  [
    'BareMetalHost',
    'whose status is long, too',
    hosts,
    (count) => {
      const url = `http://images/${'a'.repeat(Math.min(count, 40_000))}`;
      const image = { url, checksum: `http://images/${'b'.repeat(count)}` };
      const lastAttemptedImage = { url, checksum: 'c'.repeat(Math.floor(2.4 * count)) };
      const shown = { operationalStatus: 'OK', errorMessage: '', errorCount: 0, poweredOn: false };
      const provisioning = { state: 'available', ID: '' };
      return aHostWith({}, { image }, { ...shown, provisioning, lastAttemptedImage });
    },
    largestOfHost,
  ],
  [
    'Metal3Cluster',
    'with a failure domain of many attributes',
    clusterBinding,
    (count) => {
      const controlPlaneEndpoint = { host: '192.0.2.1', port: 6443 };
      const attributes = Object.fromEntries(Array.from({ length: count }, (_, at) => [`attribute-${at}`, 'x']));
      const failureDomains = [{ name: 'rack', controlPlane: true, attributes }];
      return objectOf(KINDS.metal3Cluster, { spec: { controlPlaneEndpoint, failureDomains } });
    },
    (seen) => largest(metal3ClusterEntity, seen),
  ],
  [
    'Metal3Machine',
    'with a selector of many values',
    machines,
    (count) => {
      const image = { url: 'http://images/a.raw', checksum: 'http://images/a.raw.sha256' };
      return objectOf(KINDS.metal3Machine, { spec: { image, hostSelector: selector(count) } });
    },
    (seen) => largest(machineEntity, seen),
  ],
  [
    'Metal3Data',
    'whose template names many pools',
    dataBinding,
    (count) => {
      const labels = { 'cluster.x-k8s.io/cluster-name': 'c' };
      const pools = Array.from({ length: count }, (_, at) => ({ key: `${at}`, name: `${at}-${'p'.repeat(245)}` }));
      putIn(store, KINDS.cluster, 'c');
      putIn(store, KINDS.machine, 'm');
      putIn(store, KINDS.host, 'host');
      putIn(store, KINDS.dataTemplate, 'nodes', { spec: { metaData: { ipAddressesFromPool: pools } } });
      putIn(store, KINDS.dataClaim, 'm3m', { metadata: ownedBy(KINDS.metal3Machine, 'm3m') });
      putIn(store, KINDS.metal3Machine, 'm3m', {
        metadata: { ...ownedBy(KINDS.machine, 'm'), annotations: { 'metal3.io/BareMetalHost': 'metal/host' } },
        spec: { dataTemplate: { name: 'nodes' } },
      });
      const spec = { template: { name: 'nodes' }, claim: { name: 'm3m' } };
      return objectOf(KINDS.data, { metadata: { labels }, spec });
    },
    (seen) => largest(dataEntity, seen),
  ],
  ...([KINDS.openShiftMachine, KINDS.clusterMachine] as const).map(
    (kind) =>
      [
        kind === KINDS.openShiftMachine ? 'Machine.machine.openshift.io' : 'Machine.cluster.k8s.io',
        'with a selector of many values',
        machineApiBinding(kind, { settings: { isController: true, fastTrack: false }, defaults: {}, newsOf: news }),
        (count: number) => {
          const image = { url: 'http://images/a.raw', checksum: 'http://images/a.raw.sha256' };
          return objectOf(kind, { spec: { providerSpec: { value: { image, hostSelector: selector(count) } } } });
        },
        (seen: Seen) => largest(machineApiEntity, seen),
      ] as const,
  ),
];

/** The largest snapshot that the bridge sends. */
function atBound(binding: Binding, make: (count: number) => Entry): Seen {
  const seenWith = (count: number): Seen => {
    const seen = observed(binding, make(count));
    if (isUnreadable(seen)) throw new Error(seen.problems.join('; '));
    return seen;
  };
  const isTaken = (count: number): boolean => sizeProblem(seenWith(count), binding) === undefined;
  let [taken, refused] = [1, 2];
  while (isTaken(refused)) {
    if (refused > 1_000_000) throw new Error('it stays below the bound, however much there is of it');
    [taken, refused] = [refused, 2 * refused];
  }
  while (refused - taken > 1) {
    const middle = (taken + refused) >> 1;
    if (isTaken(middle)) taken = middle;
    else refused = middle;
  }
  return seenWith(taken);
}

describe('no payload is above 1 MB', () => {
  test.each(CASES)('%s %s', (_, __, measure) => {
    const bytes = measure();
    expect(bytes).toBeGreaterThan(500);
    expect(bytes).toBeLessThan(MOST);
  });

  test.each(OF_ONE)('%s %s', (_, __, binding, make, measure) => {
    const seen = atBound(binding, make);
    expect(bytesOf(seen)).toBeGreaterThan(90_000);
    expect(measure(seen)).toBeLessThan(MOST);
  });

  test('of any kind', () => {
    const measured = new Set([...CASES, ...OF_ONE].map(([kind]) => kind));
    expect([...measured].toSorted()).toEqual(ENTITY_KINDS.map(({ kind }) => kind).toSorted());
  });
});
