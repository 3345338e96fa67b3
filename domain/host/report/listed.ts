import type { RelatedObject } from '../../entity/entity.ts';
import type { Listed, WaitsFor } from '../../entity/listed.ts';
import { isFree, traitsOf } from '../../states/table.ts';
import type { Awaited } from '../../steering/awaited.ts';
import { unreadableBudgets } from '../approval/policy.ts';
import type { HostMemory } from '../memory/memory.ts';
import { ownConsumer } from '../own-consumer.ts';
import { HOLDS } from '../steering/holds.ts';

const isHeld = ({ seen, consumedAnnotations }: HostMemory): boolean =>
  HOLDS.some((key) => key in seen.annotations && !consumedAnnotations.includes(key));

/** What lists of runs show of a host. */
export function listed(memory: HostMemory): Listed {
  const { status, seen } = memory;
  const { state } = status.provisioning;
  const consumer = ownConsumer(seen.namespace, seen.spec.consumerRef);
  const waitsFor = isHeld(memory) ? 'person' : waitsForOf(memory);
  return {
    state,
    ...(status.errorType !== undefined && { error: status.errorType }),
    // A free host may be released without a change of its state.
    ...(consumer?.name !== undefined && !isFree(state) && { consumer: `${consumer.namespace}/${consumer.name}` }),
    ...(waitsFor !== undefined && { waitsFor }),
  };
}

function waitsForOf({ retry, status, seen, awaits }: HostMemory): WaitsFor | undefined {
  if (retry?.kind === 'on change') return 'person';
  if (retry?.kind === 'at') return 'retry';
  if (awaits !== undefined) return heldFor(awaits, seen.annotations);
  if (status.operationalStatus === 'delayed') return 'slot';
  return traitsOf(status.provisioning.state).lacksBmc ? 'person' : undefined;
}

/** Only a person ends the wait for a window that is never open, or for a window or budget that can't be read. */
function heldFor({ for: kind, until }: Awaited, annotations: Readonly<Record<string, string>>): WaitsFor {
  switch (kind) {
    case 'approval':
      return 'person';
    case 'window':
      return until === undefined ? 'person' : 'window';
    case 'budget':
      return unreadableBudgets(annotations).length > 0 ? 'person' : 'budget';
  }
}

/** The machine that the host is for. */
export function related({ seen }: HostMemory): readonly RelatedObject[] {
  const { kind, name } = ownConsumer(seen.namespace, seen.spec.consumerRef) ?? {};
  return kind === 'Metal3Machine' && name !== undefined ? [{ kind, namespace: seen.namespace, name }] : [];
}
