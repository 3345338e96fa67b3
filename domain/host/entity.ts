import type { Entity, Step } from '../entity/entity.ts';
import { withPlace } from './approval/place.ts';
import { cancellationReason, withCancellation } from './cancelled.ts';
import { withSlot } from './capacity/slot-guard.ts';
import { asksForMore } from './memory/asks-for-more.ts';
import { type HostMemory, withBegin, withEvent, withShown } from './memory/memory.ts';
import type { HostSnapshot } from './memory/snapshot.ts';
import { absorb, begin } from './memory/take-in.ts';
import { isAboutTurn, type Task } from './memory/task.ts';
import { hostSnapshot } from './message-shapes.ts';
import { nextStep } from './next-step.ts';
import { record, startOf } from './record.ts';
import { changeInWords } from './report/change-in-words.ts';
import { listed, related } from './report/listed.ts';
import { show } from './report/show.ts';
import { detailsOf, summaryOf } from './report/words.ts';
import { hostSteeringDetails } from './steering/details.ts';
import { withHoldsDated } from './steering/holds.ts';
import type { HostOutcome, HostStep } from './step.ts';

/** The rules of BareMetalHosts in the form that all kinds share. */
export const hostEntity: Entity<HostSnapshot, HostMemory, Task, HostOutcome> = {
  snapshot: hostSnapshot,
  begin,
  absorb,
  dated: withHoldsDated,
  nextStep: (memory, { now }) => toStep(nextStep(memory, now)),
  start: (memory, task, now) => ({ ...startOf(memory, task), taskSince: now }),
  record(memory, task, outcome, { before, ...chance }) {
    if (outcome.kind === 'cancelled' && outcome.byOthers) return beginsAgain(memory, task, before);
    const ended = record(memory, task, outcome.kind === 'done' ? outcome.answer : outcome, chance);
    const told = outcome.kind === 'cancelled' ? withCancellation(ended, task) : ended;
    const recorded = withBegin(memory, told, chance.now);
    // A change during the attempt is tried at once, as after a failure.
    return asksForMore(recorded, before.seen, recorded.seen) ? { ...recorded, retry: null } : recorded;
  },
  show,
  taken: withShown,
  afterVanishing(memory) {
    const step = withSlot(memory, withPlace(memory, { kind: 'gone' }), 0);
    return step.kind === 'act' ? step.action : undefined;
  },
  stillWanted: (memory, task) => cancellationReason(memory, task) === undefined,
  cancellationReason,
  listed,
  related,
  summaryOf,
  changeInWords,
  detailsOf,
  messagesOf: hostSteeringDetails,
};

/** A preparation notes at its start what it prepares: that is unknown when others ended it. */
function beginsAgain(memory: HostMemory, task: Task, before: HostMemory): HostMemory {
  const said = `The run of the operation was ended in Temporal, not by Temper; it is begun again: ${summaryOf(task)}`;
  const told = withEvent(memory, 'OperationEnded', said, true);
  if (task.name !== 'prepare') return told;
  const { provisioningFailCount } = memory.status;
  return { ...told, status: { ...before.status, provisioningFailCount } };
}

function toStep(step: HostStep): Step<HostMemory, Task> {
  switch (step.kind) {
    case 'run':
      return { kind: 'act', action: step.operation };
    case 'become':
      return { kind: 'become', memory: step.memory };
    case 'act':
      return isAboutTurn(step.action) ? { ...step, quiet: true } : step;
    case 'note':
    case 'show':
    case 'wait':
    case 'gone':
      return step;
  }
}
