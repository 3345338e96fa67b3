import { STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { sinceInWords } from '../../entity/since.ts';
import { askedBy } from '../../steering/annotations.ts';
import { inWords } from '../../steering/messages.ts';
import { isPaused } from '../desired/wishes.ts';
import type { HostMemory } from '../memory/memory.ts';
import { isAboutTurn, type Task } from '../memory/task.ts';
import type { HostStep } from '../step.ts';
import { isForceDeleteAsked } from './force-delete-asked.ts';

/** Operations whose end leads to another state, in which a held host begins nothing. */
const OPERATIONS: readonly Task['name'][] = ['inspect', 'prepare', 'provision', 'deprovision', 'delete'];

/** Tasks that an abort ends. The other tasks take seconds, or remove the host from Ironic. */
const ABORTED: readonly Task['name'][] = ['register', 'adopt', 'inspect', 'prepare', 'provision', 'deprovision'];

/** How a host says that an abort has parked it. */
export const PARKED = 'parked by an abort';

const asked = ({ seen, consumedAnnotations }: HostMemory, key: string): ReturnType<typeof askedBy> =>
  consumedAnnotations.includes(key) ? undefined : askedBy(seen.annotations, key);

/** An abort has parked the host, until its annotation is removed. */
export const isAbortAsked = (memory: HostMemory): boolean =>
  asked(memory, STEERING_ANNOTATIONS.abort) !== undefined && !isForceDeleteAsked(memory.seen);

/** Who ends the running task with an abort or a deletion by force, and why; undefined: nobody does. */
export function abortReason(memory: HostMemory, task: Task): string | undefined {
  const { abort: key } = STEERING_ANNOTATIONS;
  if (isForceDeleteAsked(memory.seen)) {
    const isPartOfIt = task.name === 'release' || task.name === 'discard' || isAboutTurn(task);
    return isPartOfIt ? undefined : 'host deleted by force';
  }
  const aborted = isAbortAsked(memory) ? asked(memory, key) : undefined;
  if (task.name === 'abort') return aborted === undefined ? 'abort withdrawn' : undefined;
  return aborted !== undefined && ABORTED.includes(task.name) ? `aborted ${inWords(aborted)}` : undefined;
}

/**
 * Holds back new work on a host that is in quarantine or parked. A task in flight is recorded, and leads to the next
 * state; an abort is sent to Ironic first.
 */
export function heldBack(memory: HostMemory, step: HostStep): HostStep {
  if (isPaused(memory) || isForceDeleteAsked(memory.seen)) return step;
  const reason = holdsInWords(memory);
  if (reason === '') return step;
  const held: HostStep = { kind: 'wait', reason };
  const isParked = asked(memory, STEERING_ANNOTATIONS.abort) !== undefined;
  if (isParked && !memory.isAborted && memory.status.provisioning.ID !== '') return abort(memory);
  switch (step.kind) {
    case 'act':
      return isLastOf(memory, step.action) ? step : held;
    case 'run':
      return held;
    case 'become':
      return memory.finished !== null && OPERATIONS.includes(memory.finished.name) ? step : held;
    case 'wait':
      return held;
    case 'note':
    case 'show':
    case 'gone':
      return step;
  }
}

/** Who holds the host, and why; '' when nobody does. `since`: when each hold began, by its key. */
export function holdsInWords(memory: HostMemory, since: NonNullable<HostMemory['heldSince']> = {}): string {
  const { quarantine, abort: park } = STEERING_ANNOTATIONS;
  const quarantined = asked(memory, quarantine);
  const parked = asked(memory, park);
  return [
    ...(quarantined === undefined
      ? []
      : [`in quarantine${sinceInWords(since[quarantine])}, ${inWords(quarantined)}; release ends that`]),
    ...(parked === undefined
      ? []
      : [`${PARKED}${sinceInWords(since[park])}, ${inWords(parked)}; resume or retry goes on`]),
  ].join('; ');
}

/** The node is gone from Ironic: the host lets go of its Secrets. */
const isLastOf = ({ finished }: HostMemory, { name }: Task): boolean =>
  name === 'release' && finished?.name === 'delete';

const abort = ({ seen: { namespace, name, uid }, status }: HostMemory): HostStep => ({
  kind: 'act',
  action: { name: 'abort', order: { host: { namespace, name, uid }, nodeId: status.provisioning.ID } },
});

/** After an abort, Ironic shows a failure, so the next operation is a retry. */
export function afterAbort({ isAborted }: HostMemory, step: HostStep): HostStep {
  if (!isAborted || step.kind !== 'run') return step;
  const { operation } = step;
  if (operation.name === 'delete' || operation.name === 'detach') return step;
  return { kind: 'run', operation: { ...operation, order: { ...operation.order, retry: true } } as typeof operation };
}
