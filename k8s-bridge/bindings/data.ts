import { DATA_FINALIZER } from '../../api/metal3data/kind.ts';
import { CLUSTER_LABELS, isPausedByAnnotation } from '../../domain/cluster-api/names.ts';
import { type Assessed, assess } from '../../domain/data/examine.ts';
import { type RenderInputs, render } from '../../domain/data/render.ts';
import type { DataSnapshot } from '../../domain/data/snapshot.ts';
import { identityOf } from '../../domain/entity/seen.ts';
import { KINDS } from '../../kube/kinds.ts';
import { isClusterPaused } from '../../kube/objects/cluster.ts';
import { assembleData } from '../../kube/objects/data-objects.ts';
import { type Metal3DataRead, readMetal3Data } from '../../kube/objects/metal3data.ts';
import { once } from '../../kube/once.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry, Stores } from '../../kube/store.ts';
import { type Binding, CLUSTER_API_EVENTS } from '../binding.ts';
import { digestOf } from '../digest.ts';
import { dataConcerned } from './data-concerned.ts';

/** Metal3Data with a digest of their inputs. */
export const dataBinding: Binding = {
  followed: KINDS.data,
  finalizer: DATA_FINALIZER,
  related: [
    KINDS.dataTemplate,
    KINDS.dataClaim,
    KINDS.metal3Machine,
    KINDS.machine,
    KINDS.cluster,
    KINDS.ipClaim,
    KINDS.ipAddress,
    KINDS.ipAddressClaim,
    KINDS.clusterIpAddress,
    KINDS.host,
    KINDS.secret,
  ],
  unreadableReason: 'InvalidMetal3Data',
  ...CLUSTER_API_EVENTS,
  concerned: dataConcerned,

  observe(entry, stores): DataSnapshot | undefined {
    const data = readMetal3Data(entry.object);
    const { metadata, spec } = data;
    const { namespace } = metadata;
    const cluster = stores.get(
      KINDS.cluster,
      keyOf({ namespace, name: metadata.labels[CLUSTER_LABELS.clusterName] ?? '' }),
    );
    const paused = cluster !== undefined && (isClusterPaused(cluster.object) || isPausedByAnnotation(metadata));
    const hasFinalizer = metadata.finalizers.includes(DATA_FINALIZER);
    const isLeaving = metadata.deletionTimestamp !== undefined;
    // Nothing was started for it, so there is nothing to end.
    if (!hasFinalizer && !isLeaving && (paused || cluster === undefined)) return undefined;
    const { secrets, unclaimed, strays, hindrance, digest } = progressOf(data, stores);
    const claim = spec.claim?.name;
    return {
      ...identityOf(metadata),
      paused,
      hasCluster: cluster !== undefined,
      hasFinalizer,
      named: { metaData: spec.metaData?.name, networkData: spec.networkData?.name },
      hasClaim:
        claim !== undefined &&
        (spec.claim?.namespace ?? namespace) === namespace &&
        stores.get(KINDS.dataClaim, keyOf({ namespace, name: claim })) !== undefined,
      secrets,
      unclaimed,
      strays,
      ...(hindrance !== undefined && { hindrance }),
      ...(digest !== undefined && { digest }),
    };
  },

  essence(seen) {
    const { resourceVersion: _, generation: __, ...rest } = seen;
    return rest;
  },
};

/** What a Metal3Data waits for; undefined when it waits for nothing or has an error. */
export function waitedForBy(entry: Entry, stores: Stores): string | undefined {
  const { hindrance } = progressOf(readMetal3Data(entry.object), stores);
  return hindrance?.kind === 'waiting' ? hindrance.message : undefined;
}

interface Progress extends Omit<Assessed, 'inputs'> {
  /** Digest of the inputs, once rendering is possible. */
  readonly digest?: string;
}

/** Of a template or an address, which many Metal3Data share and which may be large. */
const digestOnce = once(digestOf);

/** The last result of rendering, by Metal3Data: the same inputs are rendered once. */
const tried = new WeakMap<Metal3DataRead, { readonly digest: string; readonly problem: string | undefined }>();

function progressOf(data: Metal3DataRead, stores: Stores): Progress {
  const { objects } = assembleData(data, (kind, name) => {
    const entry = stores.get(kind, keyOf(name));
    return entry && (entry.object ?? entry);
  });
  const { inputs, ...assessed } = assess(objects);
  if (inputs === undefined) return assessed;
  const pools = Array.from(inputs.pools, ([name, address]) => [name, digestOnce(address)]);
  const digest = digestOf({ ...inputs, template: digestOnce(inputs.template), pools });
  const problem = problemWith(data, inputs, digest);
  return problem === undefined
    ? { ...assessed, digest }
    : { ...assessed, hindrance: { kind: 'problem', message: problem } };
}

function problemWith(data: Metal3DataRead, inputs: RenderInputs, digest: string): string | undefined {
  const known = tried.get(data);
  if (known?.digest === digest) return known.problem;
  const result = render(inputs);
  const problem = 'problem' in result ? result.problem : undefined;
  tried.set(data, { digest, problem });
  return problem;
}
