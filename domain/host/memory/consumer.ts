import type { ObjectReference } from '../../../api/baremetalhost/types.ts';
import type { HostFacts } from '../../machine/host-facts.ts';
import { isConsumer } from '../../machine/host-facts.ts';
import type { HostClaimOrder } from '../../machine/step.ts';
import type { HostMemory } from './memory.ts';

/** Why a host cannot be claimed by a machine; undefined when its workflow knows no reason. */
export function claimObstacle(
  memory: HostMemory | undefined,
  inHand: HostClaimOrder['machine'] | undefined,
  { host, machine, reuse }: HostClaimOrder,
): string | undefined {
  if (memory === undefined || memory.seen.uid !== host.uid) return `host ${host.name} does not exist any more`;
  if (memory.vanished || memory.seen.deletionTimestamp !== undefined) return `host ${host.name} is being deleted`;
  if (inHand !== undefined && !isSame(inHand, machine)) return `host ${host.name} is being claimed by ${named(inHand)}`;
  const { consumerRef } = memory.seen.spec;
  const isKept = reuse !== undefined && consumerRef?.kind === 'Cluster';
  if (consumerRef === undefined || isKept || isConsumer(consumerRef, machine)) return undefined;
  return `host ${host.name} is taken by ${consumerRef.kind ?? ''} ${named(consumerRef)}`;
}

const isSame = (a: HostClaimOrder['machine'], b: HostClaimOrder['machine']): boolean =>
  a.namespace === b.namespace && a.name === b.name;

const named = ({ namespace, name }: Pick<ObjectReference, 'namespace' | 'name'>): string =>
  `${namespace ?? ''}/${name ?? ''}`;

/** The consumer was just written: it is remembered before a snapshot shows it, and older snapshots do not undo it. */
export function withConsumer(memory: HostMemory, { uid, resourceVersion, consumer }: HostFacts): HostMemory {
  const { seen } = memory;
  if (seen.uid !== uid) return memory;
  const { consumerRef: _, ...spec } = seen.spec;
  return {
    ...memory,
    seen: { ...seen, resourceVersion, spec: { ...spec, ...(consumer && { consumerRef: consumer }) } },
  };
}
