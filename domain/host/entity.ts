import type { Entity, Step } from '../entity/entity.ts';
import { withSlot } from './capacity/slot-guard.ts';
import { stillWanted } from './desired/still-wanted.ts';
import { asksForMore } from './memory/asks-for-more.ts';
import { type HostMemory, withShown } from './memory/memory.ts';
import type { HostSnapshot } from './memory/snapshot.ts';
import { absorb, begin } from './memory/take-in.ts';
import type { Task } from './memory/task.ts';
import { hostSnapshot } from './message-shapes.ts';
import { nextStep } from './next-step.ts';
import { record, startOf } from './record.ts';
import { show } from './report/show.ts';
import { detailsOf, summaryOf } from './report/words.ts';
import type { HostOutcome, HostStep } from './step.ts';

/** The rules of BareMetalHosts in the form that all kinds share. */
export const hostEntity: Entity<HostSnapshot, HostMemory, Task, HostOutcome> = {
  snapshot: hostSnapshot,
  begin,
  absorb,
  nextStep: (memory, { now }) => toStep(nextStep(memory, now)),
  start: startOf,
  record(memory, task, outcome, { before, ...chance }) {
    if (outcome.kind === 'cancelled' && outcome.byOthers) return beginsAgain(memory, task, before);
    const recorded = record(memory, task, outcome.kind === 'done' ? outcome.answer : outcome, chance);
    // A change during the attempt is tried at once, as after a failure.
    return asksForMore(recorded, before.seen, recorded.seen) ? { ...recorded, retry: null } : recorded;
  },
  show,
  taken: withShown,
  afterVanishing(memory) {
    const step = withSlot(memory, { kind: 'gone' }, 0);
    return step.kind === 'act' ? step.action : undefined;
  },
  stillWanted,
  summaryOf,
  detailsOf,
};

/** A preparation notes at its start what it prepares: that is unknown when others ended it. */
function beginsAgain(memory: HostMemory, task: Task, before: HostMemory): HostMemory {
  if (task.name !== 'prepare') return memory;
  const { provisioningFailCount } = memory.status;
  return { ...memory, status: { ...before.status, provisioningFailCount } };
}

function toStep(step: HostStep): Step<HostMemory, Task> {
  switch (step.kind) {
    case 'run':
      return { kind: 'act', action: step.operation };
    case 'become':
      return { kind: 'become', memory: step.memory };
    case 'act':
      return isAboutSlot(step.action) ? { ...step, quiet: true } : step;
    case 'note':
    case 'show':
    case 'wait':
    case 'gone':
      return step;
  }
}

const isAboutSlot = ({ name }: Task): boolean => name === 'ask for slot' || name === 'return slot';
