import { STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import type { HostMemory } from './memory.ts';

/** With a new abort annotation, forgets the earlier abort, so that this one is sent to Ironic too. */
export function withNewAbort(memory: HostMemory, { annotations }: HostMemory['seen']): HostMemory {
  const { abort: key } = STEERING_ANNOTATIONS;
  if (!memory.isAborted || !(key in annotations) || key in memory.seen.annotations) return memory;
  const { isAborted: _, ...rest } = memory;
  return rest;
}
