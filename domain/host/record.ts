import { ANNOTATIONS, type ErrorType } from '../../api/baremetalhost/values.ts';
import { type Chance, fail } from './failure.ts';
import { recordMedia } from './media.ts';
import { type HostMemory, withEvent } from './memory.ts';
import type { ProvisionOrder } from './orders.ts';
import { prepared, unprepared } from './preparation.ts';
import { recordRegistration } from './record-registration.ts';
import { slotAsked, slotsGivenUp, slotsReturned } from './slot-booking.ts';
import type { Outcome, Task } from './step.ts';
import { errorCleared } from './transition.ts';
import { reinspectionAsked } from './wishes.ts';
import { withNode } from './with-node.ts';

/** Books how a task ended. What the host became meanwhile stays as it is: the next step decides on both. */
export function record(memory: HostMemory, task: Task, outcome: Outcome, chance: Chance): HostMemory {
  if (outcome.kind === 'cancelled') return memory;
  if (task.name === 'register') return recordRegistration(memory, task.order, outcome, chance);
  if (task.name === 'media' && outcome.kind !== 'lost') return recordMedia(memory, task.order, outcome, chance);
  switch (outcome.kind) {
    case 'lost':
      // Deletion has reached what it wanted; everything else registers the host again.
      return task.name === 'delete'
        ? finished(withNode(memory, null), task)
        : withNode({ ...memory, registration: null }, null);
    case 'failed':
      return failed(
        warned(outcome.node === undefined ? memory : withNode(memory, outcome.node), outcome),
        task,
        outcome.message,
        chance,
      );
    case 'done':
      return done(outcome.node === undefined ? memory : withNode(memory, outcome.node), task, outcome);
  }
}

const warned = (memory: HostMemory, { warning }: Outcome & { kind: 'failed' }): HostMemory =>
  warning === undefined ? memory : withEvent(memory, warning.reason, warning.message, true);

const finished = (memory: HostMemory, task: Task): HostMemory => ({ ...memory, finished: { name: task.name } });

function done(memory: HostMemory, task: Task, outcome: Outcome & { kind: 'done' }): HostMemory {
  switch (task.name) {
    case 'hold':
      return { ...memory, held: true };
    case 'image':
      return { ...memory, imageAsked: task.order.wish };
    case 'inspect':
      return {
        ...withEvent(errorCleared(finished(memory, task)), 'InspectionComplete', 'Hardware inspection completed'),
        inspected: true,
        refreshInspection: false,
        architecture: outcome.inventory?.architecture ?? memory.architecture,
      };
    case 'prepare':
      return finished(memory, task);
    case 'provision': {
      const { image, customDeployMethod: method } = task.order;
      const message = `Image provisioning completed for ${image?.url ?? ''}`;
      return {
        ...withEvent(memory, 'ProvisioningComplete', message),
        finished: {
          name: 'provision',
          ...(image && { image }),
          ...(method !== undefined && { customDeploy: { method } }),
        },
      };
    }
    case 'deprovision':
      return finished(withEvent(memory, 'DeprovisioningComplete', 'Image deprovisioning completed'), task);
    case 'power': {
      const { on, mode } = task.order;
      const text = on ? 'Host powered on' : mode === 'soft' ? 'Host soft powered off' : 'Host powered off';
      return finished(errorCleared(withEvent(memory, on ? 'PowerOn' : 'PowerOff', text)), task);
    }
    case 'adopt':
      return finished(errorCleared(memory), task);
    case 'delete':
    case 'release':
      return finished(memory, task);
    case 'ask for slot':
      return memory;
    case 'return slot':
      return slotsReturned(memory, task.order.tickets);
    case 'register':
    case 'media':
      return memory;
  }
}

const ERROR_TYPE: Readonly<Record<Task['name'], ErrorType>> = {
  hold: 'registration error',
  register: 'registration error',
  image: 'registration error',
  adopt: 'provisioned registration error',
  inspect: 'inspection error',
  prepare: 'preparation error',
  provision: 'provisioning error',
  deprovision: 'provisioning error',
  power: 'power management error',
  media: 'power management error',
  delete: 'provisioning error',
  release: 'provisioning error',
  'ask for slot': 'provisioning error',
  'return slot': 'provisioning error',
};

function failed(memory: HostMemory, task: Task, message: string, chance: Chance): HostMemory {
  return fail(
    task.name === 'prepare' ? unprepared(memory, task.order) : memory,
    ERROR_TYPE[task.name],
    message,
    chance,
  );
}

const attemptOf = ({ image, customDeployMethod: method }: ProvisionOrder): NonNullable<HostMemory['attempted']> => ({
  url: image?.url ?? '',
  ...(method !== undefined && { method }),
});

/** The event that goes with the start of an operation, shown while it runs. */
export function startOf(memory: HostMemory, task: Task): HostMemory {
  switch (task.name) {
    case 'inspect': {
      const started = withEvent(memory, 'InspectionStarted', 'Hardware inspection started');
      if (!reinspectionAsked(memory)) return started;
      return { ...started, consumedAnnotations: [...memory.consumedAnnotations, ANNOTATIONS.inspect] };
    }
    case 'prepare':
      return task.order.unprepared ? errorCleared(prepared(memory, task.order)) : memory;
    case 'provision':
      return {
        ...withEvent(memory, 'ProvisioningStarted', `Image provisioning started for ${task.order.image?.url ?? ''}`),
        attempted: attemptOf(task.order),
      };
    case 'deprovision':
      return withEvent(memory, 'DeprovisioningStarted', 'Image deprovisioning started');
    case 'ask for slot':
      return slotAsked(memory, task.order);
    case 'return slot':
      return slotsGivenUp(memory, task.order.tickets);
    case 'hold':
    case 'image':
    case 'media':
    case 'register':
    case 'adopt':
    case 'power':
    case 'delete':
    case 'release':
      return memory;
  }
}
