import type { ObjectReference } from '../../api/meta/types.ts';
import { CLUSTER_LABELS, groupOf } from '../../domain/cluster-api/names.ts';
import { ownConsumer } from '../../domain/host/own-consumer.ts';
import { type FollowedKind, KINDS, MACHINE_API_MACHINES } from '../../kube/kinds.ts';
import { readHostFacts } from '../../kube/objects/baremetalhost.ts';
import { readMachine } from '../../kube/objects/machine.ts';
import { ownerOf, readMetadata } from '../../kube/objects/metadata.ts';
import { readMetal3Data } from '../../kube/objects/metal3data.ts';
import { machineOfClaim, readDataClaim } from '../../kube/objects/metal3dataclaim.ts';
import { readMetal3Machine, templateNameOf } from '../../kube/objects/metal3machine.ts';
import { readRemediation } from '../../kube/objects/metal3remediation.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry, Index, Stores } from '../../kube/store.ts';

/** Indexes of Cluster API's kinds; each key is the `<namespace>/<name>` of the named object. */

/** Creates one index for each kind, because the store finds an index by object identity. */
export const perKind = (keysOf: Index['keysOf']): ((kind: FollowedKind) => Index) => {
  const made = new Map<FollowedKind, Index>();
  return (kind) => {
    const index = made.get(kind) ?? { kind, keysOf };
    made.set(kind, index);
    return index;
  };
};

/** All objects of a kind by their namespace. */
export const byNamespace = perKind(({ namespace }) => [namespace]);
export const byUid = perKind(({ uid }) => [uid]);

type Names = (entry: Entry) => Iterable<string | undefined> | string | undefined;

/** Indexes objects by names in their spec or metadata, which refer to their own namespace. */
const byName = (kind: Index['kind'], namesOf: Names): Index => ({
  kind,
  *keysOf(entry) {
    const said = namesOf(entry);
    const names = new Set(said === undefined || typeof said === 'string' ? [said] : said);
    for (const name of names) if (name !== undefined) yield keyOf({ namespace: entry.namespace, name });
  },
});

export const metal3ClustersByOwner = byName(
  KINDS.metal3Cluster,
  (entry) => ownerOf(readMetadata(entry.object), KINDS.cluster)?.name,
);

export const machinesByCluster = byName(KINDS.machine, (entry) => readMachine(entry.object).cluster);

/** Metal3Machines by the label of their Cluster; '' without the label. */
export const metal3MachinesByCluster = byName(
  KINDS.metal3Machine,
  (entry) => readMetadata(entry.object).labels[CLUSTER_LABELS.clusterName] ?? '',
);

export const metal3MachinesByTemplate = byName(KINDS.metal3Machine, ({ object }) =>
  templateNameOf(readMetadata(object)),
);

export const metal3MachinesByOwner = byName(
  KINDS.metal3Machine,
  (entry) => ownerOf(readMetadata(entry.object), KINDS.machine)?.name,
);

/** Metal3Machines by the host in their annotation. */
export const metal3MachinesByHost = byName(KINDS.metal3Machine, ({ object }) => readMetal3Machine(object).host);

/** A machine that has hosts. */
interface ConsumingMachine {
  readonly kind: FollowedKind;
  readonly namespace: string;
  readonly name: string;
}

/** The Metal3Machine, or the Machine of the Machine API, that is the consumer of a host of its namespace. */
export function consumingMachine({ object, namespace }: Entry): ConsumingMachine | undefined {
  const consumer = ownConsumer(namespace, readHostFacts(object).consumer);
  const kind = consumer && kindOfConsumer(consumer);
  return kind === undefined || consumer?.name === undefined ? undefined : { kind, namespace, name: consumer.name };
}

/** In any API version. Machines of Cluster API are no consumers. */
function kindOfConsumer({ kind, apiVersion }: ObjectReference): FollowedKind | undefined {
  if (kind === KINDS.metal3Machine.kind) return KINDS.metal3Machine;
  return MACHINE_API_MACHINES.find((of) => of.apiKind === kind && groupOf(of.apiVersion) === groupOf(apiVersion));
}

/** The hosts whose consumer is this machine. */
export const hostsConsumedBy = (machine: ConsumingMachine, stores: Pick<Stores, 'having'>): Iterable<Entry> =>
  stores.having(hostsByConsumer, consumerKey(machine));

const consumerKey = (machine: ConsumingMachine): string => `${machine.kind.kind}:${keyOf(machine)}`;

const hostsByConsumer: Index = {
  kind: KINDS.host,
  *keysOf(host) {
    const machine = consumingMachine(host);
    if (machine !== undefined) yield consumerKey(machine);
  },
};

const remediationsBy = (ofMachineApi: boolean): Index =>
  byName(KINDS.remediation, ({ object }) => {
    const { machine, isOfMachineApi } = readRemediation(object);
    return isOfMachineApi === ofMachineApi ? machine : undefined;
  });
export const remediationsByMachine = remediationsBy(false);
export const remediationsByOwnMachine = remediationsBy(true);

export const dataClaimsByMachine = byName(KINDS.dataClaim, ({ object }) => machineOfClaim(readDataClaim(object))?.name);

export const dataClaimsByCluster = byName(
  KINDS.dataClaim,
  ({ object }) => readDataClaim(object).metadata.labels[CLUSTER_LABELS.clusterName],
);

export const dataByTemplateName = byName(KINDS.data, ({ object }) => readMetal3Data(object).spec.template?.name);
export const dataByClaim = byName(KINDS.data, ({ object }) => readMetal3Data(object).spec.claim?.name);
export const dataByCluster = byName(
  KINDS.data,
  ({ object }) => readMetal3Data(object).metadata.labels[CLUSTER_LABELS.clusterName],
);

/** Metal3Data by the Secrets to which they are rendered. */
export const dataBySecret = byName(KINDS.data, ({ object }) => {
  const { metaData, networkData } = readMetal3Data(object).spec;
  return [metaData?.name, networkData?.name];
});
