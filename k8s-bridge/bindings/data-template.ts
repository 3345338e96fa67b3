import { CLUSTER_LABELS, isPausedByAnnotation } from '../../domain/cluster-api/names.ts';
import { DATA_CLAIM_FINALIZER, TEMPLATE_FINALIZER } from '../../domain/data/names.ts';
import type { ClaimSeen, IndexedDataSeen, TemplateSnapshot } from '../../domain/data-template/snapshot.ts';
import { identityOf } from '../../domain/entity/seen.ts';
import { KINDS } from '../../kube/kinds.ts';
import { isClusterPaused } from '../../kube/objects/cluster.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { readMetal3Data } from '../../kube/objects/metal3data.ts';
import { type DataClaimRead, machineOfClaim, readDataClaim } from '../../kube/objects/metal3dataclaim.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Index, Stores } from '../../kube/store.ts';
import { WORKFLOW_TYPES } from '../../workflows/messages.ts';
import { type Binding, CLUSTER_API_EVENTS } from '../binding.ts';
import { dataClaimsByCluster } from './indexes.ts';

/** Metal3DataTemplates with the claims that name them and all their Metal3Data. */
export const dataTemplateBinding: Binding = {
  followed: KINDS.dataTemplate,
  workflowType: WORKFLOW_TYPES.Metal3DataTemplate,
  finalizer: TEMPLATE_FINALIZER,
  related: [KINDS.dataClaim, KINDS.data, KINDS.cluster],
  unreadableReason: 'InvalidMetal3DataTemplate',
  ...CLUSTER_API_EVENTS,

  *concerned(kind, entry, stores) {
    if (kind.kind !== KINDS.cluster.kind) {
      const template = templateOf(
        kind.kind === KINDS.data.kind ? readMetal3Data(entry.object) : readDataClaim(entry.object),
      );
      if (template !== undefined) yield template;
      return;
    }
    for (const claim of stores.having(dataClaimsByCluster, keyOf(entry))) {
      const template = templateOf(readDataClaim(claim.object));
      if (template !== undefined) yield template;
    }
  },

  observe(entry, stores): TemplateSnapshot {
    const meta = readMetadata(entry.object);
    const key = keyOf(entry);
    const claims = [...stores.having(claimsByTemplate, key)].map(({ object }) => readDataClaim(object));
    const isOpen = ({ metadata, status }: DataClaimRead): boolean =>
      metadata.deletionTimestamp !== undefined || status.renderedData === undefined;
    return {
      ...identityOf(meta),
      paused: isPausedByAnnotation(meta),
      claims: claims.filter(isOpen).map((claim) => openClaim(claim, stores)),
      settled: claims.filter((claim) => !isOpen(claim)).map(({ metadata }) => metadata.name),
      data: dataOf(key, stores),
    };
  },

  essence(seen) {
    const { resourceVersion: _, generation: __, ...rest } = seen;
    return rest;
  },
};

type WithTemplate = Pick<DataClaimRead, 'metadata'> & { readonly spec: Pick<DataClaimRead['spec'], 'template'> };

/** Key of the template; undefined when it is in another namespace. */
function templateOf({ metadata: { namespace }, spec: { template } }: WithTemplate): string | undefined {
  if (!template?.name || (template.namespace !== undefined && template.namespace !== namespace)) return undefined;
  return keyOf({ namespace, name: template.name });
}

const claimsByTemplate: Index = {
  kind: KINDS.dataClaim,
  keysOf: ({ object }) => [templateOf(readDataClaim(object)) ?? []].flat(),
};
const dataByTemplate: Index = {
  kind: KINDS.data,
  keysOf: ({ object }) => [templateOf(readMetal3Data(object)) ?? []].flat(),
};

function openClaim(claim: DataClaimRead, stores: Stores): ClaimSeen {
  const { namespace, name, uid, creationTimestamp, deletionTimestamp, labels, finalizers } = claim.metadata;
  const cluster = stores.get(KINDS.cluster, keyOf({ namespace, name: labels[CLUSTER_LABELS.clusterName] ?? '' }));
  const { renderedData, errorMessage } = claim.status;
  return {
    name,
    uid,
    creationTimestamp,
    deleting: deletionTimestamp !== undefined,
    // As upstream: the paused annotation of the claim counts only when its Cluster exists.
    paused: cluster !== undefined && (isClusterPaused(cluster.object) || isPausedByAnnotation(claim.metadata)),
    held: finalizers.includes(DATA_CLAIM_FINALIZER),
    hasMachine: machineOfClaim(claim) !== undefined,
    ...(renderedData?.name !== undefined && { renderedData: renderedData.name }),
    ...(errorMessage !== undefined && { errorMessage }),
  };
}

const dataOf = (template: string, stores: Stores): readonly IndexedDataSeen[] =>
  [...stores.having(dataByTemplate, template)].flatMap(({ object }) => {
    const { metadata, spec } = readMetal3Data(object);
    if (spec.claim?.name === undefined) return [];
    return [
      {
        name: metadata.name,
        index: spec.index,
        claim: spec.claim.name,
        deleting: metadata.deletionTimestamp !== undefined,
        held: metadata.finalizers.includes(DATA_CLAIM_FINALIZER),
      },
    ];
  });
