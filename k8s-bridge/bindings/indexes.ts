import {
  hostNameOf,
  machineOfClaim,
  namedFacts,
  readClaim,
  readData,
} from '../../activities/kubernetes/data/objects.ts';
import { CLUSTER_ANNOTATIONS, CLUSTER_GROUP, CLUSTER_LABELS } from '../../domain/cluster-api/names.ts';
import { CLONED_FROM_TEMPLATE } from '../../domain/machine/names.ts';
import { KINDS } from '../../kube/kinds.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry, Index } from '../../kube/store.ts';
import { factsOf, machineOf, metadataOf, ownerNamed } from './read.ts';

/** By what objects of Cluster API's kinds are found; each key is `<namespace>/<name>` of what they name. */

type Names = (entry: Entry) => Iterable<string | undefined> | string | undefined;

/** The objects of a kind by the names that they say, all in their own namespace. */
const byName = (kind: Index['kind'], namesOf: Names): Index => ({
  kind,
  *keysOf(entry) {
    const said = namesOf(entry);
    const names = new Set(said === undefined || typeof said === 'string' ? [said] : said);
    for (const name of names) if (name !== undefined) yield keyOf({ namespace: entry.namespace, name });
  },
});

export const metal3ClustersByOwner = byName(KINDS.metal3Cluster, (entry) =>
  ownerNamed(metadataOf(entry), KINDS.cluster.kind, CLUSTER_GROUP),
);

export const machinesByCluster = byName(KINDS.machine, (entry) => machineOf(entry).cluster);

/** By the label of their Cluster, '' without one. */
export const metal3MachinesByCluster = byName(
  KINDS.metal3Machine,
  (entry) => metadataOf(entry).labels[CLUSTER_LABELS.clusterName] ?? '',
);

export const metal3MachinesByTemplate = byName(KINDS.metal3Machine, (entry) => templateNameOf(entry));

export const metal3MachinesByOwner = byName(KINDS.metal3Machine, (entry) =>
  ownerNamed(metadataOf(entry), KINDS.machine.kind, CLUSTER_GROUP),
);

/** By the host that their annotation names. */
export const metal3MachinesByHost = byName(KINDS.metal3Machine, ({ object }) => hostNameOf(namedFacts(object)));

/** By the Metal3Machine that has them, wherever that is. */
export const hostsByConsumer: Index = {
  kind: KINDS.host,
  *keysOf(entry) {
    const { consumer, namespace } = factsOf(entry);
    if (consumer?.kind !== KINDS.metal3Machine.kind) return;
    yield keyOf({ namespace: consumer.namespace ?? namespace, name: consumer.name ?? '' });
  },
};

export const dataClaimsByMachine = byName(KINDS.dataClaim, ({ object }) => machineOfClaim(readClaim(object))?.name);

export const dataClaimsByCluster = byName(
  KINDS.dataClaim,
  ({ object }) => readClaim(object).metadata.labels?.[CLUSTER_LABELS.clusterName],
);

export const dataByTemplateName = byName(KINDS.data, ({ object }) => readData(object).spec.template?.name);
export const dataByClaim = byName(KINDS.data, ({ object }) => readData(object).spec.claim?.name);
export const dataByCluster = byName(
  KINDS.data,
  ({ object }) => readData(object).metadata.labels?.[CLUSTER_LABELS.clusterName],
);

/** By the Secrets that they are rendered into. */
export const dataBySecret = byName(KINDS.data, ({ object }) => {
  const { metaData, networkData } = readData(object).spec;
  return [metaData?.name, networkData?.name];
});

/** Of the Metal3MachineTemplate that a Metal3Machine was made from. */
export function templateNameOf(entry: Entry): string | undefined {
  const { annotations } = metadataOf(entry);
  const isCloned = annotations[CLUSTER_ANNOTATIONS.clonedFromGroupKind] === CLONED_FROM_TEMPLATE;
  return isCloned ? annotations[CLUSTER_ANNOTATIONS.clonedFromName] : undefined;
}
