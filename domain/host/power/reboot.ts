import { ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { type DecodeTarget, decode } from '../../go/decode.ts';
import type { HostMemory } from '../memory/memory.ts';

/** What one reboot annotation asks for. */
export interface RebootRequest {
  /** The annotation: without a suffix it is ours to take off, with one it keeps the host off until its owner takes it off. */
  readonly key: string;
  readonly mode: 'soft' | 'hard';
  /** Counts for an available host too, and ends an inspection or a deployment that waits for its agent. */
  readonly force: boolean;
}

/** What the value of a reboot annotation is read into. */
export const REBOOT_ARGUMENTS: DecodeTarget = {
  name: 'RebootAnnotationArguments',
  schema: { type: 'object', properties: { mode: { type: 'string' }, force: { type: 'boolean' } } },
  types: { mode: 'v1alpha1.RebootMode' },
};

export const isRebootKey = (key: string): boolean =>
  key === ANNOTATIONS.reboot || key.startsWith(`${ANNOTATIONS.reboot}/`);

/** All that is asked for and not yet done, by whichever annotation. What can't be read asks for a soft reboot. */
export function rebootRequests({ seen, consumedAnnotations }: HostMemory): readonly RebootRequest[] {
  return Object.entries(seen.annotations)
    .filter(([key]) => isRebootKey(key) && !consumedAnnotations.includes(key))
    .map(([key, value]) => ({ key, mode: 'soft', force: false, ...readReboot(value) }));
}

/** The annotations that force a reboot. */
export const forcedBy = (memory: HostMemory): readonly string[] =>
  rebootRequests(memory).flatMap(({ key, force }) => (force ? [key] : []));

/** True when a reboot is forced that a task, begun for these annotations, does not know of. */
export const isForcedAnew = (memory: HostMemory, known: readonly string[] = []): boolean =>
  // The one without a suffix is spent when a task begins: if it is there, it was set since.
  forcedBy(memory).some((key) => key === ANNOTATIONS.reboot || !known.includes(key));

/** undefined for a value that makes no sense; an unknown mode is passed over, as upstream does. */
export function readReboot(value: string): Partial<Pick<RebootRequest, 'mode' | 'force'>> | undefined {
  if (value === '') return {};
  const decoded = decode(value, REBOOT_ARGUMENTS, { strict: false });
  if (!decoded.ok) return undefined;
  const { mode, force } = decoded.value;
  return { mode: mode === 'hard' ? 'hard' : 'soft', force: force === true };
}

/** The annotation is done with: it counts no longer and is taken off the BareMetalHost. */
export function withSpent(memory: HostMemory, key: string): HostMemory {
  if (!(key in memory.seen.annotations) || memory.consumedAnnotations.includes(key)) return memory;
  return {
    ...memory,
    revision: memory.revision + 1,
    consumedAnnotations: [...memory.consumedAnnotations, key],
  };
}

/** What the unsuffixed reboot annotation asked for has come about, or was overtaken by an operation that reboots anyway. */
export const withRebootSpent = (memory: HostMemory): HostMemory => withSpent(memory, ANNOTATIONS.reboot);
