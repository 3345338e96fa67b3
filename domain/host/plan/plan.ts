import type { ProvisioningState } from '../../../api/baremetalhost/values.ts';
import { same } from '../../same.ts';
import { traitsOf } from '../../states/table.ts';
import { withPlaceAnswered } from '../approval/place-answered.ts';
import { cancellationReason } from '../cancelled.ts';
import type { HostMemory } from '../memory/memory.ts';
import { withShown } from '../memory/memory.ts';
import { isAboutTurn, type Operation, type Task } from '../memory/task.ts';
import { nextStep } from '../next-step.ts';
import { record, startOf } from '../record.ts';
import { show } from '../report/show.ts';
import { reached } from './reached.ts';
import { type PlannedWork, workOf } from './words.ts';

/** One thing that will happen. */
export interface PlannedStep extends PlannedWork {
  /** The state in which it happens. */
  readonly state: ProvisioningState;
  /** It has begun already. */
  readonly isUnderway?: true;
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
        /** The next step is held, by an approval, a window or a budget. */
        readonly isHeld?: true;
      }
    | { readonly kind: 'gone' }
    /** The steps from this one on (1 is the first) come again and again: the wish cannot be reached. */
    | { readonly kind: 'endless'; readonly from: number };
}

/** Limit of a plan. A life from registration to deletion has fewer than thirty steps. */
const MOST_STEPS = 100;
const NO_DICE = 0;

/** Plays `nextStep` forward, as if each task succeeded. Pure: nothing is done. */
export function planOf(memory: HostMemory, now: number): HostPlan {
  const steps: PlannedStep[] = [];
  const underway = operationOf(memory, now);
  let current = memory;
  for (let count = 0; count < MOST_STEPS; count++) {
    const step = nextStep(current, now);
    switch (step.kind) {
      case 'gone':
        return { steps, end: { kind: 'gone' } };
      case 'wait': {
        const { provisioning, poweredOn } = current.status;
        return {
          steps,
          end: {
            kind: 'waits',
            state: provisioning.state,
            poweredOn,
            reason: step.reason,
            ...(current.awaits !== undefined && { isHeld: true }),
          },
        };
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
        // An operation that is under way has the slot and the places that it needs.
        if (underway === undefined || steps.length > 0 || !isAboutTurn(task)) {
          const isUnderway = steps.length === 0 && underway !== undefined && same(task, underway);
          const work = workOf(current, task).map((each) => ({ state, ...each, ...(isUnderway && { isUnderway }) }));
          steps.push(...work);
        }
        current = afterTask(current, task, now);
        break;
      }
    }
  }
  return endless(steps);
}

/** A plan without an end: its steps until they begin again, once. */
export function endless(steps: readonly PlannedStep[]): HostPlan {
  for (let length = 1; 2 * length <= steps.length; length++) {
    const before = steps.findLastIndex((step, index) => {
      const next = steps[index + length];
      return next !== undefined && !same(step, next);
    });
    const from = before + 1;
    if (from + 2 * length <= steps.length)
      return { steps: steps.slice(0, from + length), end: { kind: 'endless', from: from + 1 } };
  }
  return { steps, end: { kind: 'endless', from: 1 } };
}

/** The operation that is under way, as far as the host shows it: none runs while it shows an error or is delayed. */
function operationOf(memory: HostMemory, now: number): Operation | undefined {
  const { provisioning, operationalStatus } = memory.status;
  if (!traitsOf(provisioning.state).operation.isAbortable || operationalStatus !== 'OK') return undefined;
  let current = memory;
  for (let count = 0; count < MOST_STEPS; count++) {
    const step = nextStep(current, now);
    if (step.kind === 'run') return step.operation;
    if (step.kind === 'note') current = step.memory;
    else if (step.kind === 'show') current = shown(current);
    else if (step.kind === 'act' && isAboutTurn(step.action)) current = afterTask(current, step.action, now);
    else return undefined;
  }
  return undefined;
}

const ABORTS: Partial<Record<Operation['name'], string>> = {
  inspect: 'abort the inspection',
  prepare: 'abort the preparation',
  provision: 'abort the deployment',
  deprovision: 'abort the removal of the image',
};

/** The plan after a change of the host: what is under way and no longer wanted is aborted first. */
export function planOfChange(before: HostMemory, after: HostMemory, now: number): HostPlan {
  const plan = planOf(after, now);
  const running = operationOf(before, now);
  const does = running && cancellationReason(after, running) !== undefined ? ABORTS[running.name] : undefined;
  if (does === undefined) return plan;
  const { state } = before.status.provisioning;
  const { end } = plan;
  const steps = [{ state, does }, ...plan.steps];
  return { steps, end: end.kind === 'endless' ? { ...end, from: end.from + 1 } : end };
}

const shown = (memory: HostMemory): HostMemory => withShown(memory, show(memory));

function afterTask(memory: HostMemory, task: Task, now: number): HostMemory {
  const started = startOf(memory, task);
  const ended = record(started, task, reached(started, task), { now, dice: NO_DICE });
  if (task.name !== 'ask for place') return ended;
  const { lock, ticket } = task.order;
  return withPlaceAnswered(ended, { lock, kind: 'granted', ticket });
}
