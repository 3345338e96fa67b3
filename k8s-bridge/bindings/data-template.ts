import { DATA_CLAIM_FINALIZER } from '../../api/metal3dataclaim/kind.ts';
import { TEMPLATE_FINALIZER } from '../../api/metal3datatemplate/kind.ts';
import { ageOf } from '../../domain/clock.ts';
import { CLUSTER_LABELS, isPausedByAnnotation } from '../../domain/cluster-api/names.ts';
import type { ClaimSeen, IndexedDataSeen, TemplateSnapshot } from '../../domain/data-template/snapshot.ts';
import { survey } from '../../domain/data-template/survey.ts';
import { identityOf } from '../../domain/entity/seen.ts';
import { same } from '../../domain/same.ts';
import { KINDS } from '../../kube/kinds.ts';
import { readObject } from '../../kube/objects/any-object.ts';
import { isClusterPaused } from '../../kube/objects/cluster.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { readMetal3Data } from '../../kube/objects/metal3data.ts';
import {
  type DataClaimRead,
  dataClaimsByCluster,
  machineOfClaim,
  readDataClaim,
} from '../../kube/objects/metal3dataclaim.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Index, Stores } from '../../kube/store.ts';
import { type Binding, CLUSTER_API_EVENTS, type ReconcilingLater } from '../binding.ts';

/** Maximum number of indexes in a status. */
const SHOWN_INDEXES = 512;
/** A status with all of them is written every second at most. */
const PAUSE_PER_INDEX_MS = 2;

/** Metal3DataTemplates with the claims that name them and all their Metal3Data. */
export const dataTemplateBinding = ({ stores: all, lookLater, now }: ReconcilingLater): Binding => ({
  followed: KINDS.dataTemplate,
  finalizer: TEMPLATE_FINALIZER,
  related: [KINDS.dataClaim, KINDS.data, KINDS.cluster],
  isOfMany: true,
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
    const claims = [...stores.having(claimsByTemplate, key)].map(({ object }) =>
      claimSeen(readDataClaim(object), stores),
    );
    return { ...identityOf(meta), paused: isPausedByAnnotation(meta), ...survey(claims, dataOf(key, stores)) };
  },

  essence(snapshot) {
    const { resourceVersion: _, generation: __, free, counts, ...rest } = snapshot as TemplateSnapshot;
    // A claim that waits for an index may be tried again at any time, and must not get one that was taken meanwhile.
    const isGiving = rest.claims.some(({ deleting }) => !deleting);
    const { paused } = counts;
    return {
      ...rest,
      paused: [rest.paused, paused],
      ...(isGiving && { free }),
      ...(rest.deletionTimestamp && { counts }),
    };
  },

  complete({ view, object }) {
    const indexes = indexesOf(dataOf(keyOf(view), all));
    // The bridge leaves the status unchanged when the view has none.
    const status =
      view.shown.status === undefined
        ? object.status
        : { ...view.shown.status, ...(indexes.length > 0 && { indexes }) };
    return Promise.resolve({ status });
  },

  isStale(entry, written, stores) {
    if (isPausedByAnnotation(readMetadata(entry.object))) return false;
    const indexes = indexesOf(dataOf(keyOf(entry), stores));
    if (same(readObject(entry.object).status['indexes'] ?? [], indexes)) return false;
    const restMs = indexes.length * PAUSE_PER_INDEX_MS - ageOf(written.at, now());
    if (restMs > 0) lookLater(KINDS.dataTemplate.kind, keyOf(entry), restMs);
    return restMs <= 0;
  },
});

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

/** Longer than our own messages. */
const LONGEST_ERROR = 100;

function claimSeen(claim: DataClaimRead, stores: Stores): ClaimSeen {
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
    hasFinalizer: finalizers.includes(DATA_CLAIM_FINALIZER),
    hasMachine: machineOfClaim(claim) !== undefined,
    ...(renderedData?.name !== undefined && { renderedData: renderedData.name }),
    ...(errorMessage !== undefined && { errorMessage: errorMessage.slice(0, LONGEST_ERROR) }),
  };
}

/** The lowest indexes, by the names of their claims. */
const indexesOf = (data: readonly IndexedDataSeen[]): readonly { readonly name: string; readonly index: number }[] =>
  [...new Map(data.map(({ claim: name, index }) => [index, { name, index }])).values()]
    .toSorted((a, b) => a.index - b.index)
    .slice(0, SHOWN_INDEXES);

const dataOf = (template: string, stores: Pick<Stores, 'having'>): readonly IndexedDataSeen[] =>
  [...stores.having(dataByTemplate, template)].flatMap(({ object }) => {
    const { metadata, spec } = readMetal3Data(object);
    if (spec.claim?.name === undefined) return [];
    return [
      {
        name: metadata.name,
        index: spec.index,
        claim: spec.claim.name,
        deleting: metadata.deletionTimestamp !== undefined,
        hasFinalizer: metadata.finalizers.includes(DATA_CLAIM_FINALIZER),
      },
    ];
  });
