import { ApplicationFailure } from '@temporalio/common';
import { z } from 'zod';
import { ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { CLUSTER_ANNOTATIONS, CLUSTER_LABELS } from '../../../domain/cluster-api/names.ts';
import { type HostFacts, hostFacts, isConsumer } from '../../../domain/machine/choose-host/host-facts.ts';
import { hostSpec } from '../../../domain/machine/host-spec.ts';
import type { HostAnswer, HostChange, HostOrder } from '../../../domain/machine/memory/step.ts';
import { PAUSED_BY_CLUSTER } from '../../../domain/machine/names.ts';
import { isSealed } from '../../../domain/urls/hidden.ts';
import { isOvertaken, type Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { readObject } from '../../../kube/objects/any-object.ts';
import { type BareMetalHostRead, readHost, readHostFacts } from '../../../kube/objects/baremetalhost.ts';
import { readMachineApi } from '../../../kube/objects/machine-api.ts';
import { readMetadata } from '../../../kube/objects/metadata.ts';
import { openedImage } from '../../../kube/objects/sealed-urls.ts';
import { hostPath } from '../../../kube/paths.ts';
import { STALE } from '../../../workflows/messages.ts';
import { isForbiddenByPolicy, refusing } from '../refusal.ts';
import { assumedBy, findClaimant, mustBe, mustBeNeighbours } from './machine-now.ts';

export interface MachineHostActivities {
  /** Adds the annotation that makes clusterctl wait with a move. Idempotent. */
  blockMove(order: HostOrder): Promise<HostAnswer>;
  /**
   * Pauses the host and stores its status in an annotation for the target cluster of a move; unblocks clusterctl last.
   * Idempotent.
   */
  pauseHost(order: HostOrder): Promise<HostAnswer>;
  /** Ends a pause that came from the cluster; any other pause stays. Idempotent. */
  unpauseHost(order: HostOrder & { readonly clusterName: string }): Promise<HostAnswer>;
  /** Writes the machine's desired fields to the host. Idempotent; does not change the host of another consumer. */
  changeHost(order: HostOrder & { readonly change: HostChange }): Promise<HostAnswer>;
}

interface HostPatch {
  readonly metadata?: object;
  readonly spec?: object;
  /** Written instead of `spec` when a policy forbids the metadata. */
  readonly specAlone?: object;
}

type Patching = (read: BareMetalHostRead) => HostPatch | undefined | Promise<HostPatch | undefined>;

/**
 * Reads and patches a host, and repeats both after a conflict. `patch` returns undefined when no change is needed, and
 * may do preparatory work each time. Returns the host, or null when it is gone.
 */
export async function patchHost(
  kube: Kube,
  { host, machine }: Pick<HostOrder, 'host' | 'machine'>,
  patch: Patching,
): Promise<HostFacts | null> {
  mustBeNeighbours(host, machine);
  const attempt = async (): Promise<HostFacts | null> => {
    const found = await kube.find(hostPath(host));
    if (found === undefined) return null;
    const read = readHost(found);
    if (read.metadata.uid !== host.uid) return null;
    const wanted = await patch(read);
    if (wanted === undefined) return hostFacts(read);
    const { resourceVersion } = read.metadata;
    const { specAlone: _, ...changes } = wanted;
    const body = { ...changes, metadata: { ...changes.metadata, resourceVersion } };
    return readHostFacts(await kube.patch(hostPath(host), body));
  };
  return refusing(() => whileContended(attempt, isOvertaken));
}

/**
 * Like `patchHost`. When a policy forbids the labels or annotations, the spec is changed without them, and the message
 * of the policy is added to `refusals`.
 */
export async function patchHostAnyway(
  kube: Kube,
  order: Pick<HostOrder, 'host' | 'machine'>,
  patch: Patching,
  refusals: string[],
): Promise<HostFacts | null> {
  try {
    return await patchHost(kube, order, patch);
  } catch (error) {
    const cause = error instanceof ApplicationFailure ? error.cause : error;
    if (!isForbiddenByPolicy(cause)) throw error;
    const facts = await patchHost(kube, order, async (read) => {
      const wanted = await patch(read);
      const spec = wanted?.specAlone ?? wanted?.spec;
      return spec && { spec };
    });
    refusals.push(cause.words);
    return facts;
  }
}

const annotated = (annotations: Readonly<Record<string, string | null>>): HostPatch => ({ metadata: { annotations } });

export function createMachineHostActivities(kube: Kube): MachineHostActivities {
  /** Patches the host only if the machine is its consumer, or if it has no consumer. */
  const patchOwn = async (
    order: HostOrder,
    patch: (read: BareMetalHostRead) => HostPatch | undefined,
  ): Promise<HostAnswer> => {
    const { machine } = order;
    const isOthers = ({ spec }: BareMetalHostRead): boolean =>
      spec.consumerRef !== undefined && !isConsumer(spec.consumerRef, machine);
    const facts = await patchHost(kube, order, (read) => (isOthers(read) ? undefined : patch(read)));
    const others = facts?.consumer !== undefined && !isConsumer(facts.consumer, machine);
    return others ? { kind: 'taken', by: facts.consumer ?? null } : { kind: 'host', host: facts };
  };
  const { blockMove } = CLUSTER_ANNOTATIONS;
  const block = (order: HostOrder): Promise<HostAnswer> =>
    patchOwn(order, ({ metadata: { annotations } }) =>
      blockMove in annotations || ANNOTATIONS.paused in annotations ? undefined : annotated({ [blockMove]: '' }),
    );

  return {
    blockMove: block,

    async pauseHost(order) {
      // In three steps, so that the move is blocked until the status annotation exists.
      await block(order);
      await patchOwn(order, ({ metadata: { annotations }, carriedStatus }) =>
        ANNOTATIONS.paused in annotations
          ? undefined
          : annotated({ [ANNOTATIONS.paused]: PAUSED_BY_CLUSTER, [ANNOTATIONS.status]: JSON.stringify(carriedStatus) }),
      );
      return patchOwn(order, ({ metadata: { annotations } }) =>
        blockMove in annotations ? annotated({ [blockMove]: null }) : undefined,
      );
    },

    unpauseHost: (order) =>
      patchOwn(order, ({ metadata: { annotations, labels } }) =>
        annotations[ANNOTATIONS.paused] === PAUSED_BY_CLUSTER &&
        labels[CLUSTER_LABELS.clusterName] === order.clusterName
          ? annotated({ [ANNOTATIONS.paused]: null })
          : undefined,
      ),

    async changeHost(order) {
      const assumed = assumedBy(order.change);
      if (assumed !== undefined) await mustBe(kube, assumed, order.machine);
      const change = await withOpenedImage(kube, order);
      return patchOwn(order, () => ({ spec: hostSpec(change) }));
    },
  };
}

/** The spec of a Metal3Machine, or the provider's part of that of a Machine. */
const withImage = z.object({ image: z.object({ url: z.string(), checksum: z.string().optional() }) });

/** The workflow's order has the image without the secrets in its URLs; the machine has them. */
async function withOpenedImage(kube: Kube, { machine, change }: Parameters<MachineHostActivities['changeHost']>[0]) {
  const { image } = change;
  if (image == null || ![image.url, image.checksum ?? ''].some(isSealed)) return change;
  const found = await refusing(() => findClaimant(kube, machine));
  const spec = found && (machine.api === undefined ? readObject(found).spec : readMachineApi(found).value);
  const given = withImage.safeParse(spec).data?.image;
  const opened =
    given === undefined ? image : openedImage(readMetadata(found).uid, image, [given.url, given.checksum ?? '']);
  if ([opened.url, opened.checksum ?? ''].some(isSealed)) {
    throw ApplicationFailure.create({
      type: STALE,
      nonRetryable: true,
      message: `${machine.api === undefined ? 'Metal3Machine' : 'Machine'} ${machine.namespace}/${machine.name} has another image meanwhile`,
    });
  }
  return { ...change, image: opened };
}
