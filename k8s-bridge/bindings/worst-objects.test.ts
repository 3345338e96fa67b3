import { expect, test } from 'vitest';
import type { EntityKindName } from '../../api/kinds.ts';
import { metal3ClusterEntity } from '../../domain/cluster/cluster.ts';
import { CLUSTER_LABELS } from '../../domain/cluster-api/names.ts';
import { dataEntity } from '../../domain/data/entity.ts';
import { templateEntity } from '../../domain/data-template/entity.ts';
import type { Entity } from '../../domain/entity/entity.ts';
import { hostEntity } from '../../domain/host/entity.ts';
import { DEFAULT_HOST_SETTINGS } from '../../domain/host/memory/settings.ts';
import { ipPoolEntity } from '../../domain/ip-pool/entity.ts';
import { machineEntity } from '../../domain/machine/next-step.ts';
import { machineApiEntity } from '../../domain/machine-api/entity.ts';
import { machineSetEntity } from '../../domain/machine-set/entity.ts';
import { remediationEntity } from '../../domain/remediation/entity.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { createStore, type Store } from '../../kube/store.ts';
import { takesLonger } from '../../test/builders/cpu-time.ts';
import { putIn } from '../../test/builders/stored-objects.ts';
import type { Binding } from '../binding.ts';
import { hostBinding } from './baremetalhost.ts';
import { clusterBinding } from './cluster.ts';
import { dataBinding } from './data.ts';
import { dataTemplateBinding } from './data-template.ts';
import { ipPoolBinding } from './ip-pool.ts';
import { machineBinding } from './machine.ts';
import { machineApiBinding } from './machine-api/machine.ts';
import { machineSetBinding } from './machine-api/machine-set.ts';
import { remediationBinding } from './remediation.ts';

type Texts = Readonly<Record<string, string>>;
const listOf = <Item>(count: number, item: (at: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, at) => item(at));
const tableOf = (count: number, key: string): Texts => Object.fromEntries(listOf(count, (at) => [`${key}${at}`, '']));

/** As many as fit into 256 KiB of annotations, and as many labels as a list of others may be compared with. */
const annotations = { ...tableOf(6_000, 'reboot.metal3.io/'), ...tableOf(6_000, 'example.com/') };
const labels = tableOf(12_000, 'example.com/');
const metadata = { labels, annotations, finalizers: listOf(10_000, (at) => `example.com/${at}`) };
const nothing = (): void => undefined;
const news = { bridge: 'b', count: 0 };
const now = 1_000_000_000;

interface Worst {
  readonly kind: FollowedKind;
  readonly binding: (store: Store) => Pick<Binding, 'observe'>;
  readonly entity: Entity<never, unknown, unknown, unknown>;
  readonly object: object;
  /** Objects that it refers to. */
  readonly others?: (store: Store) => unknown;
}

const deps = (store: Store) => ({ stores: store, lookLater: nothing, now: () => now });
const machineApi = { settings: { isController: true, fastTrack: false }, defaults: {}, newsOf: () => news };
const taints = listOf(20_000, (at) => ({ key: `t${at}`, effect: 'NoExecute' }));
const ofMachineApi = (kind: Parameters<typeof machineApiBinding>[0]): Worst => ({
  kind,
  binding: () => machineApiBinding(kind, machineApi),
  entity: machineApiEntity as never,
  object: {
    metadata,
    spec: { taints, providerSpec: { value: { hostSelector: { matchLabels: labels } } } },
    status: { nodeRef: { kind: 'Node', name: 'n' } },
  },
  others: (store) => putIn(store, KINDS.node, 'n', { metadata, spec: { taints: taints.toReversed() } }),
});

const WORST: Readonly<Record<EntityKindName, Worst>> = {
  BareMetalHost: {
    kind: KINDS.host,
    binding: () =>
      hostBinding({
        settings: DEFAULT_HOST_SETTINGS,
        tally: { shown: nothing, told: nothing, looked: nothing, lookFailed: nothing, forgotten: nothing },
      }),
    entity: hostEntity as never,
    object: {
      metadata,
      spec: {
        online: true,
        taints: taints.slice(0, 5_000),
        raid: { hardwareRAIDVolumes: [{ level: '0', physicalDisks: listOf(20_000, (at) => `disk-${at}`) }] },
      },
    },
  },
  Metal3Cluster: {
    kind: KINDS.metal3Cluster,
    binding: () => clusterBinding,
    entity: metal3ClusterEntity as never,
    object: { metadata, spec: { failureDomains: listOf(10_000, (at) => ({ name: `${at}` })) } },
  },
  Metal3Machine: {
    kind: KINDS.metal3Machine,
    binding: () =>
      machineBinding({
        settings: { providerIdFormat: 'names', fastTrack: false },
        newsOf: () => news,
        driftOf: () => undefined,
      }),
    entity: machineEntity as never,
    object: { metadata, spec: { hostSelector: { matchLabels: labels } } },
  },
  Metal3DataTemplate: {
    kind: KINDS.dataTemplate,
    binding: (store) => dataTemplateBinding(deps(store)),
    entity: templateEntity as never,
    object: {
      metadata,
      spec: { metaData: { strings: listOf(20_000, (at) => ({ key: `${at}`, value: '' })) } },
      status: { indexes: Object.fromEntries(listOf(20_000, (at) => [`m${at}`, at])) },
    },
  },
  Metal3Data: {
    kind: KINDS.data,
    binding: () => dataBinding,
    entity: dataEntity as never,
    object: {
      metadata: { ...metadata, labels: { ...labels, [CLUSTER_LABELS.clusterName]: 'c' } },
      spec: { index: 0, template: { name: 't' }, claim: { name: 'c' } },
    },
    others: (store) =>
      putIn(store, KINDS.cluster, 'c', {
        spec: { topology: { variables: listOf(10_000, (at) => ({ name: `${at}` })) } },
      }),
  },
  IPPool: {
    kind: KINDS.ipPool,
    binding: (store) => ipPoolBinding(deps(store)),
    entity: ipPoolEntity as never,
    object: {
      metadata,
      spec: {
        namePrefix: 'p',
        pools: listOf(8_000, (at) => ({ start: `10.${at >> 8}.${at & 255}.1`, end: `10.${at >> 8}.${at & 255}.9` })),
        preAllocations: Object.fromEntries(listOf(8_000, (at) => [`h${at}`, `10.${at >> 8}.${at & 255}.5`])),
      },
    },
  },
  Metal3Remediation: {
    kind: KINDS.remediation,
    binding: () => remediationBinding({ hasMachineApi: false }),
    entity: remediationEntity as never,
    object: { metadata, spec: { strategy: { type: 'Reboot', retryLimit: 1, timeout: '1s' } } },
  },
  'Machine.machine.openshift.io': ofMachineApi(KINDS.openShiftMachine),
  'Machine.cluster.k8s.io': ofMachineApi(KINDS.clusterMachine),
  'MachineSet.machine.openshift.io': {
    kind: KINDS.openShiftMachineSet,
    binding: () => machineSetBinding(machineApi),
    entity: machineSetEntity as never,
    object: { metadata, spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: {} } } },
    // Machines that it could adopt.
    others: (store) => listOf(2_000, (at) => putIn(store, KINDS.openShiftMachine, `m${at}`, { spec: {} })),
  },
};

/** Milliseconds of CPU time for the snapshot and the first step of a run, which takes its first and another snapshot. */
const MOST = 300;

test.each(Object.entries(WORST))(
  'a %s with as many labels, annotations and lists as an object can have is read and decided on at once',
  (_, { kind, binding, entity, object, others }) => {
    const store = createStore();
    others?.(store);
    const { observe } = binding(store);
    const live = (): unknown => {
      // Each time another object, so that it is read anew.
      const { apiVersion, apiKind = kind.kind } = kind;
      const entry = putIn(store, kind, 'worst', { apiVersion, kind: apiKind, ...object } as object);
      const seen = observe(entry, store, { written: undefined, now });
      if (seen === undefined || !('uid' in seen)) throw new Error(`it is not readable: ${JSON.stringify(seen)}`);
      const memory = entity.begin(seen as never);
      return [entity.nextStep(memory, { now, shown: null }), entity.show(memory), entity.absorb(memory, seen as never)];
    };
    expect(takesLonger(live, MOST)).toBe(false);
  },
);
