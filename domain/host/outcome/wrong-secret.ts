import type { HostMemory } from '../memory/memory.ts';
import type { HostOutcome } from '../step.ts';

/** Remembers the Secret whose text made this task fail, and forgets that of an earlier attempt of it. */
export function withWrongSecret(memory: HostMemory, task: 'register' | 'provision', outcome: HostOutcome): HostMemory {
  const { wrongSecret: before, ...rest } = memory;
  if (outcome.kind === 'failed' && outcome.wrongSecret !== undefined)
    return { ...rest, wrongSecret: { ...outcome.wrongSecret, task } };
  return before?.task === task ? rest : memory;
}

/** A deployment that failed by wrong data alone: Ironic was asked for nothing, so there is nothing to undo. */
export const hasWrongData = ({ wrongSecret, status }: HostMemory): boolean =>
  wrongSecret?.task === 'provision' && status.errorType === 'provisioning error';
