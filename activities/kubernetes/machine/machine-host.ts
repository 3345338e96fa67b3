import { ApplicationFailure } from '@temporalio/common';
import { ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { CLUSTER_ANNOTATIONS, CLUSTER_LABELS } from '../../../domain/cluster-api/names.ts';
import {
  type Claimant,
  type HostFacts,
  hostFacts,
  isConsumer,
} from '../../../domain/machine/choose-host/host-facts.ts';
import { assumedBy, fillable, notAskedFor } from '../../../domain/machine/host-change.ts';
import { hostSpec } from '../../../domain/machine/host-spec.ts';
import type { HostAnswer, HostChange, HostOrder, LastHostOrder } from '../../../domain/machine/memory/step.ts';
import { PAUSED_BY_CLUSTER } from '../../../domain/machine/names.ts';
import type { DefaultDeployment } from '../../../domain/machine-api/provider-spec.ts';
import { isOvertaken, type Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { type BareMetalHostRead, readHost, readHostFacts } from '../../../kube/objects/baremetalhost.ts';
import { readCluster } from '../../../kube/objects/cluster.ts';
import { hostPath, type Named, objectPath } from '../../../kube/paths.ts';
import { whyLeftAlone } from '../../other-operator.ts';
import { isForbiddenByPolicy, refusing } from '../refusal.ts';
import { askedOfHost } from './asked-of-host.ts';
import { mustBe, mustBeNeighbours, stale, wordsFor } from './machine-now.ts';

export interface MachineHostActivities {
  /** The host, if the machine is its consumer. */
  findOwnHost(order: LastHostOrder): Promise<HostAnswer>;
  /** Adds the annotation that makes clusterctl wait with a move. Idempotent. */
  blockMove(order: HostOrder): Promise<HostAnswer>;
  /**
   * Pauses the host and stores its status in an annotation for the target cluster of a move; unblocks clusterctl last.
   * Idempotent.
   */
  pauseHost(order: HostOrder): Promise<HostAnswer>;
  /**
   * Ends a pause that came from the cluster; any other pause stays. Idempotent. Fails with type `Stale` while the Cluster
   * is paused: its host may be on the way to another management cluster.
   */
  unpauseHost(order: HostOrder & { readonly clusterName: string }): Promise<HostAnswer>;
  /**
   * Writes the machine's desired fields to the host, or clears it. Idempotent. A host of which the machine is not the
   * consumer is not changed, and an image on a host is not replaced. Fails with type `Stale` when the object of the
   * machine does not ask for the change.
   */
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
    const leftAlone = whyLeftAlone(found, Date.now());
    // Retried: the other operator may end.
    if (leftAlone !== undefined)
      throw ApplicationFailure.create({ type: 'OtherOperator', message: `change host ${host.name}: ${leftAlone}` });
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

export function createMachineHostActivities(kube: Kube, defaults: DefaultDeployment = {}): MachineHostActivities {
  /** Patches the host only if the machine is its consumer, or if it has no consumer: a pause, or its end. */
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
    async findOwnHost({ host, machine }) {
      mustBeNeighbours(host, machine);
      const found = await kube.find(hostPath(host));
      return ownOrTaken(found === undefined ? null : readHostFacts(found), machine);
    },

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

    async unpauseHost(order) {
      await mustBeUnpaused(kube, { namespace: order.machine.namespace, name: order.clusterName });
      return patchOwn(order, ({ metadata: { annotations, labels } }) =>
        annotations[ANNOTATIONS.paused] === PAUSED_BY_CLUSTER &&
        labels[CLUSTER_LABELS.clusterName] === order.clusterName
          ? annotated({ [ANNOTATIONS.paused]: null })
          : undefined,
      );
    },

    async changeHost(order) {
      const { machine } = order;
      const change = await allowed(kube, order, defaults);
      const facts = await patchHost(kube, order, (read) => {
        if (!isConsumer(read.spec.consumerRef, machine)) return undefined;
        const spec = hostSpec(fillable(change, hostFacts(read)));
        return Object.keys(spec).length === 0 ? undefined : { spec };
      });
      return ownOrTaken(facts, machine);
    },
  };
}

async function mustBeUnpaused(kube: Kube, cluster: Named): Promise<void> {
  const found = await kube.find(objectPath(KINDS.cluster, cluster));
  if (found === undefined || readCluster(found).paused)
    throw stale(`unpause a host: Cluster ${cluster.name} ${found === undefined ? 'does not exist' : 'is paused'}`);
}

/** The host, if the machine is its consumer, or null when it is gone; otherwise who has it. */
const ownOrTaken = (facts: HostFacts | null, machine: Claimant): HostAnswer =>
  facts === null || isConsumer(facts.consumer, machine)
    ? { kind: 'host', host: facts }
    : { kind: 'taken', by: facts.consumer ?? null };

type ChangeOrder = Parameters<MachineHostActivities['changeHost']>[0];

/**
 * The change, with the secrets in the URLs of its image, which the order does not have. Fails with type `Stale` unless
 * the object of the machine asks for it.
 */
async function allowed(kube: Kube, { machine, change }: ChangeOrder, defaults: DefaultDeployment): Promise<HostChange> {
  const refusal = (problem: string): ApplicationFailure => stale(`change a host: ${wordsFor(machine)}: ${problem}`);
  const assumed = assumedBy(change);
  if (assumed === undefined) throw refusal('no machine makes such a change');
  if (assumed === 'any') return change;
  const object = await mustBe(kube, assumed, machine);
  if (assumed === 'leaves') return change;
  const asked = await askedOfHost(kube, machine, object, defaults);
  const field = notAskedFor(change, asked);
  if (field !== undefined) throw refusal(`it does not ask for this ${field}`);
  const [image] = asked.images;
  return change.image === undefined || image === undefined ? change : { ...change, image };
}
