import { ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import type { StructuralSchema } from '../../../api/structural.ts';
import { decode } from '../../go/decode.ts';
import type { HostMemory } from './memory.ts';

/** The request in one reboot annotation. */
export interface RebootRequest {
  /** The annotation: without a suffix we remove it; with a suffix it keeps the host off until its owner removes it. */
  readonly key: string;
  readonly mode: 'soft' | 'hard';
  /**
   * The reboot is also done on an available host, and aborts an inspection or a deployment that waits for its agent.
   */
  readonly force: boolean;
}

/** The schema of a reboot annotation's value. */
export const REBOOT_ARGUMENTS: StructuralSchema = {
  type: 'object',
  properties: { mode: { type: 'string' }, force: { type: 'boolean' } },
};

export const isRebootKey = (key: string): boolean =>
  key === ANNOTATIONS.reboot || key.startsWith(`${ANNOTATIONS.reboot}/`);

/** All open requests of all reboot annotations. An unreadable value requests a soft reboot. */
export function rebootRequests({ seen, consumedAnnotations }: HostMemory): readonly RebootRequest[] {
  return Object.entries(seen.annotations)
    .filter(([key]) => isRebootKey(key) && !consumedAnnotations.includes(key))
    .map(([key, value]) => ({ key, mode: 'soft', force: false, ...readReboot(value) }));
}

/** The annotations that force a reboot. */
export const forcedBy = (memory: HostMemory): readonly string[] =>
  rebootRequests(memory).flatMap(({ key, force }) => (force ? [key] : []));

/** True for an annotation that keeps a host off until its owner removes it; a free host only when it forces that. */
export const keepsOff = (key: string, value: string, isFree: boolean): boolean =>
  key !== ANNOTATIONS.reboot && isRebootKey(key) && (!isFree || readReboot(value)?.force === true);

/** True when a reboot is forced that is newer than the task, which was started with these annotations. */
export const isForcedAnew = (memory: HostMemory, known: readonly string[] = []): boolean =>
  // The annotation without a suffix is removed when a task starts: if it is present, it was set later.
  forcedBy(memory).some((key) => key === ANNOTATIONS.reboot || !known.includes(key));

/** undefined for an unreadable value; an unknown mode is ignored, as upstream does. */
export function readReboot(value: string): Partial<Pick<RebootRequest, 'mode' | 'force'>> | undefined {
  if (value === '') return {};
  const decoded = decode(value, REBOOT_ARGUMENTS, { strict: false });
  if (!decoded.ok) return undefined;
  const { mode, force } = decoded.value;
  return { mode: mode === 'hard' ? 'hard' : 'soft', force: force === true };
}

/** The annotation is handled: it is ignored from now on and removed from the BareMetalHost. */
export function withSpent(memory: HostMemory, key: string): HostMemory {
  if (!(key in memory.seen.annotations) || memory.consumedAnnotations.includes(key)) return memory;
  return {
    ...memory,
    consumedAnnotations: [...memory.consumedAnnotations, key],
  };
}

/** The reboot of the annotation without a suffix is done, or replaced by an operation that reboots anyway. */
export const withRebootSpent = (memory: HostMemory): HostMemory => withSpent(memory, ANNOTATIONS.reboot);
