import type { ProvisioningState } from '../../../api/baremetalhost/values.ts';
import { withPlaceAnswered } from '../approval/place-answered.ts';
import type { HostMemory } from '../memory/memory.ts';
import { withShown } from '../memory/memory.ts';
import type { Task } from '../memory/task.ts';
import { nextStep } from '../next-step.ts';
import { record, startOf } from '../record.ts';
import { show } from '../report/show.ts';
import { reached } from './reached.ts';
import { type PlannedWork, workOf } from './words.ts';

/** One thing that will happen. */
export interface PlannedStep extends PlannedWork {
  /** The state in which it happens. */
  readonly state: ProvisioningState;
}

/** What a host will do, if everything succeeds and nothing changes meanwhile. */
export interface HostPlan {
  readonly steps: readonly PlannedStep[];
  readonly end:
    | {
        readonly kind: 'waits';
        readonly state: ProvisioningState;
        readonly poweredOn: boolean;
        /** In words, as the run says it. */
        readonly reason: string;
      }
    | { readonly kind: 'gone' }
    /** The plan returns to a state that it has passed: the wish cannot be reached. */
    | { readonly kind: 'endless' };
}

/** Limit of a plan. A life from registration to deletion has fewer than thirty steps. */
const MOST_STEPS = 100;
const NO_DICE = 0;

/** Plays `nextStep` forward, as if each task succeeded. Pure: nothing is done. */
export function planOf(memory: HostMemory, now: number): HostPlan {
  const steps: PlannedStep[] = [];
  let current = memory;
  for (let count = 0; count < MOST_STEPS; count++) {
    const step = nextStep(current, now);
    switch (step.kind) {
      case 'gone':
        return { steps, end: { kind: 'gone' } };
      case 'wait': {
        const { provisioning, poweredOn } = current.status;
        return { steps, end: { kind: 'waits', state: provisioning.state, poweredOn, reason: step.reason } };
      }
      case 'note':
        current = step.memory;
        break;
      case 'show':
        current = shown(current);
        break;
      case 'become':
        current = shown(step.memory);
        break;
      case 'act':
      case 'run': {
        const task = step.kind === 'act' ? step.action : step.operation;
        const { state } = current.status.provisioning;
        steps.push(...workOf(current, task).map((work) => ({ state, ...work })));
        current = afterTask(current, task, now);
        break;
      }
    }
  }
  return { steps, end: { kind: 'endless' } };
}

const shown = (memory: HostMemory): HostMemory => withShown(memory, show(memory));

function afterTask(memory: HostMemory, task: Task, now: number): HostMemory {
  const started = startOf(memory, task);
  const ended = record(started, task, reached(started, task), { now, dice: NO_DICE });
  if (task.name !== 'ask for place') return ended;
  const { lock, ticket } = task.order;
  return withPlaceAnswered(ended, { lock, kind: 'granted', ticket });
}
