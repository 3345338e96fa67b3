import type { RelatedObject } from '../../entity/entity.ts';
import type { Listed } from '../../entity/listed.ts';
import { isFree } from '../../states/table.ts';
import type { HostMemory } from '../memory/memory.ts';
import { ownConsumer } from '../own-consumer.ts';
import { endedBy } from '../waits.ts';
import { waitFactsOf } from './wait-facts.ts';

/** What lists of runs show of a host. */
export function listed(memory: HostMemory): Listed {
  const { status, seen } = memory;
  const { state } = status.provisioning;
  const consumer = ownConsumer(seen.namespace, seen.spec.consumerRef);
  const waitsFor = endedBy(waitFactsOf(memory));
  return {
    state,
    ...(status.errorType !== undefined && { error: status.errorType }),
    // A free host may be released without a change of its state.
    ...(consumer?.name !== undefined && !isFree(state) && { consumer: `${consumer.namespace}/${consumer.name}` }),
    ...(waitsFor !== undefined && { waitsFor }),
  };
}

/** The machine that the host is for. */
export function related({ seen }: HostMemory): readonly RelatedObject[] {
  const { kind, name } = ownConsumer(seen.namespace, seen.spec.consumerRef) ?? {};
  return kind === 'Metal3Machine' && name !== undefined ? [{ kind, namespace: seen.namespace, name }] : [];
}
