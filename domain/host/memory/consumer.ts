import type { ObjectReference } from '../../../api/baremetalhost/types.ts';
import { areComparable } from '../../entity/seen.ts';
import { type HostFacts, heldBackBy } from '../../machine/choose-host/host-facts.ts';
import { type Claimable, TAKEN, whyNotHad } from '../../machine/choose-host/may-have.ts';
import { isOlder } from '../../machine/memory/memory.ts';
import type { HostClaimOrder } from '../../machine/memory/step.ts';
import { HOST_LABELS } from '../../machine/names.ts';
import type { HostMemory } from './memory.ts';
import type { HostSnapshot } from './snapshot.ts';

/** Why a host cannot be claimed by a machine; undefined when its workflow knows no reason. */
export function claimObstacle(
  known: { readonly memory: HostMemory; readonly isVanished: boolean } | undefined,
  inHand: HostClaimOrder['machine'] | undefined,
  { host, machine, reuse }: HostClaimOrder,
): string | undefined {
  if (known?.memory.seen.uid !== host.uid) return `host ${host.name} does not exist any more`;
  const { memory, isVanished } = known;
  if (inHand !== undefined && !isSame(inHand, machine)) return `host ${host.name} is being claimed by ${named(inHand)}`;
  const { consumerRef, image, customDeploy, externallyProvisioned } = memory.seen.spec;
  const facts: Claimable = {
    consumer: consumerRef,
    // Not in the memory: the activity compares the label.
    labels: consumerRef?.kind === 'Cluster' && reuse !== undefined ? { [HOST_LABELS.nodeReuse]: reuse } : {},
    deleting: isVanished || memory.seen.deletionTimestamp !== undefined,
    hasImage: image !== undefined,
    hasCustomDeploy: customDeploy !== undefined,
    externallyProvisioned,
    ...heldBackBy(memory.seen.annotations),
    errorMessage: '',
  };
  // The order does not prove whose host it is: the activity gives it only to the machine whose object names it.
  const hindrance = whyNotHad(facts, { machine, reuse, isNamed: true });
  if (hindrance === undefined) return undefined;
  const by = hindrance === TAKEN ? ` by ${consumerRef?.kind ?? ''} ${named(consumerRef ?? {})}` : '';
  return `host ${host.name} is ${hindrance}${by}`;
}

const isSame = (a: HostClaimOrder['machine'], b: HostClaimOrder['machine']): boolean =>
  a.namespace === b.namespace && a.name === b.name && a.api === b.api;

const named = ({ namespace, name }: Pick<ObjectReference, 'namespace' | 'name'>): string =>
  `${namespace ?? ''}/${name ?? ''}`;

/** The consumer was written: it is stored in the memory, and older snapshots do not change it. */
export function withConsumer(memory: HostMemory, { uid, resourceVersion, consumer }: HostFacts): HostMemory {
  if (memory.seen.uid !== uid) return memory;
  return {
    ...memory,
    consumerWritten: resourceVersion,
    seen: { ...withConsumerOf(memory.seen, consumer), resourceVersion },
  };
}

/** A snapshot older than our write of the consumer does not change it. */
export const withKnownConsumer = (memory: HostMemory, snapshot: HostSnapshot): HostSnapshot =>
  isConsumerUnseen(memory, snapshot) ? withConsumerOf(snapshot, memory.seen.spec.consumerRef) : snapshot;

/**
 * True for a snapshot older than the object's version with the consumer that we wrote. What was written before etcd was
 * restored is never seen.
 */
export const isConsumerUnseen = ({ consumerWritten: written, seen }: HostMemory, snapshot: HostSnapshot): boolean =>
  written !== undefined && areComparable(seen, snapshot) && isOlder(snapshot, { resourceVersion: written });

function withConsumerOf<Snapshot extends HostMemory['seen']>(
  snapshot: Snapshot,
  consumer: ObjectReference | undefined,
): Snapshot {
  const { consumerRef: _, ...spec } = snapshot.spec;
  return { ...snapshot, spec: { ...spec, ...(consumer && { consumerRef: consumer }) } };
}
