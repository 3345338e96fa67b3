import {
  type ClaimObject,
  isPaused,
  machineOfClaim,
  metaOf,
  readClaim,
  readData,
} from '../../activities/kubernetes/data/objects.ts';
import { CLUSTER_LABELS, isPausedByAnnotation } from '../../domain/cluster-api/names.ts';
import { DATA_CLAIM_FINALIZER, TEMPLATE_FINALIZER } from '../../domain/data/names.ts';
import type { ClaimSeen, IndexedDataSeen, TemplateSnapshot } from '../../domain/data-template/snapshot.ts';
import { KINDS } from '../../kube/kinds.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Binding, Entry, Stores } from '../entities/binding.ts';
import { identityOf } from './identity.ts';

/** Metal3DataTemplates with the claims that name them and all Metal3Data that were made from them. */
export const dataTemplateBinding: Binding = {
  followed: KINDS.dataTemplate,
  workflowType: 'dataTemplateWorkflow',
  finalizer: TEMPLATE_FINALIZER,
  related: [KINDS.dataClaim, KINDS.data, KINDS.cluster],

  *concerned(kind, object, stores) {
    if (kind === null) return;
    if (kind.kind !== KINDS.cluster.kind) {
      const template = templateOf(
        kind.kind === KINDS.data.kind ? readData(objectOf(object)) : readClaim(objectOf(object)),
      );
      if (template !== undefined) yield template;
      return;
    }
    for (const entry of stores.values(KINDS.dataClaim)) {
      const claim = readClaim(entry.object);
      const isOfCluster = claim.metadata.labels?.[CLUSTER_LABELS.clusterName] === object.name;
      const template = templateOf(claim);
      if (entry.namespace === object.namespace && isOfCluster && template !== undefined) yield template;
    }
  },

  observe(entry, stores): TemplateSnapshot {
    const meta = metaOf(entry.object);
    const key = keyOf(entry);
    const claims = [...stores.values(KINDS.dataClaim)]
      .map(({ object }) => readClaim(object))
      .filter((claim) => templateOf(claim) === key);
    const isOpen = ({ metadata, status }: ClaimObject): boolean =>
      metadata.deletionTimestamp !== undefined || status.renderedData === undefined;
    return {
      ...identityOf(meta),
      paused: isPausedByAnnotation(meta),
      claims: claims.filter(isOpen).map((claim) => claimSeen(claim, stores)),
      settled: claims.filter((claim) => !isOpen(claim)).map(({ metadata }) => metadata.name),
      data: dataOf(key, stores),
    };
  },

  essence(seen) {
    const { resourceVersion: _, generation: __, ...rest } = seen;
    return rest;
  },
};

const objectOf = (object: object): unknown => ('object' in object ? object.object : undefined);

type WithTemplate = Pick<ClaimObject, 'metadata'> & { readonly spec: Pick<ClaimObject['spec'], 'template'> };

/** Key of the template; one of another namespace is none. */
function templateOf({ metadata: { namespace }, spec: { template } }: WithTemplate): string | undefined {
  if (!template?.name || (template.namespace !== undefined && template.namespace !== namespace)) return undefined;
  return keyOf({ namespace, name: template.name });
}

function claimSeen(claim: ClaimObject, stores: Stores): ClaimSeen {
  const {
    namespace,
    name,
    uid = '',
    creationTimestamp = '',
    deletionTimestamp,
    labels = {},
    finalizers = [],
  } = claim.metadata;
  const cluster = stores.get(KINDS.cluster, keyOf({ namespace, name: labels[CLUSTER_LABELS.clusterName] ?? '' }));
  const { renderedData, errorMessage } = claim.status;
  return {
    name,
    uid,
    creationTimestamp,
    deleting: deletionTimestamp !== undefined,
    // As upstream has it: the claim's own annotation counts only with its Cluster at hand.
    paused: cluster !== undefined && (isPaused(cluster.object) || isPaused({ metadata: claim.metadata, spec: {} })),
    held: finalizers.includes(DATA_CLAIM_FINALIZER),
    hasMachine: machineOfClaim(claim) !== undefined,
    ...(renderedData?.name !== undefined && { renderedData: renderedData.name }),
    ...(errorMessage !== undefined && { errorMessage }),
  };
}

const dataOf = (template: string, stores: Stores): readonly IndexedDataSeen[] =>
  [...stores.values(KINDS.data)].flatMap(({ object }: Entry) => {
    const data = readData(object);
    const { metadata, spec } = data;
    if (templateOf(data) !== template || spec.claim?.name === undefined) return [];
    return [
      {
        name: metadata.name,
        index: spec.index ?? 0,
        claim: spec.claim.name,
        deleting: metadata.deletionTimestamp !== undefined,
        held: metadata.finalizers?.includes(DATA_CLAIM_FINALIZER) === true,
      },
    ];
  });
