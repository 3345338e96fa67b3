import { ANNOTATIONS, type ErrorType } from '../../api/baremetalhost/values.ts';
import { staysInIronic } from '../ironic/moves/delete.ts';
import { nodeName } from '../ironic/node/node.ts';
import { isOccupied, NODE_OCCUPIED, saysOccupied } from '../ironic/occupied.ts';
import type { DeprovisionOrder, NodeOrder, PowerOrder, ProvisionOrder } from '../ironic/orders.ts';
import { publicPart } from '../urls/hidden.ts';
import { withPreparationBegun } from './approval/begun.ts';
import { withApprovalUsed } from './approval/used.ts';
import { markUnsure, preparationBegun, preparationKnown, prepared, unprepared } from './desired/preparation.ts';
import { reinspectionAsked } from './desired/wishes.ts';
import { recordMedia } from './media/media.ts';
import { type HostMemory, taskBegan, withEvent, withListed } from './memory/memory.ts';
import { placesGivenUp, withPlaceAsked, withPlacesReturned } from './memory/place-record.ts';
import { withRebootSpent, withSpent } from './memory/reboot-annotations.ts';
import type { Task } from './memory/task.ts';
import { withNode } from './memory/with-node.ts';
import { type Chance, fail, park } from './outcome/failure.ts';
import { errorCleared } from './outcome/transition.ts';
import { withWrongSecret } from './outcome/wrong-secret.ts';
import { withRebootDone } from './power/power.ts';
import { attached } from './registration/detached-state.ts';
import { recordRegistration } from './registration/record-registration.ts';
import type { HostOutcome } from './step.ts';

/** Records how a task ended. Changes during the task are kept: the next step considers both. */
export const record = (before: HostMemory, task: Task, outcome: HostOutcome, chance: Chance): HostMemory =>
  attached(recorded(before, task, outcome, chance));

function recorded(before: HostMemory, task: Task, outcome: HostOutcome, chance: Chance): HostMemory {
  const memory =
    task.name === 'register' || task.name === 'provision' ? withWrongSecret(before, task.name, outcome) : before;
  if (task.name === 'register') return recordRegistration(memory, task.order, outcome, chance);
  if (outcome.kind === 'cancelled')
    return task.name === 'detach' ? unregistered(memory) : withVolumesUnsure(memory, task);
  if (task.name === 'discard') return discarded(memory, outcome);
  if (task.name === 'abort') return aborted(memory, outcome);
  if (task.name === 'media' && outcome.kind !== 'lost') return recordMedia(memory, task.order, outcome, chance);
  switch (outcome.kind) {
    case 'lost':
      // A deletion is then complete; in all other cases the host registers again.
      if (task.name === 'delete') return finished(withNode(memory, null), task);
      return task.name === 'detach'
        ? finished(unregistered(memory), task)
        : withVolumesUnsure(unregistered(memory), task);
    case 'failed': {
      const known = warned(outcome.node === undefined ? memory : withNode(memory, outcome.node), outcome);
      const answered = task.name === 'power' ? withRebootDone(known, task.order) : known;
      return failed(answered, task, outcome.message, chance);
    }
    case 'done':
      return done(withApprovalUsed(memory, task), task, outcome);
  }
}

/** The host is deleted in both cases. The Event tells the person who finds the node in Ironic later. */
function discarded(memory: HostMemory, outcome: HostOutcome): HostMemory {
  const gone = finished(memory, { name: 'delete' });
  if (outcome.kind !== 'failed') return gone;
  const node = memory.status.provisioning.ID || nodeName(memory.seen);
  const left = `node ${node} may still be in Ironic: ${outcome.message}`;
  return withEvent(gone, 'NodeLeftBehind', left, true);
}

/** Whatever Ironic answered, the host is parked. */
const aborted = (memory: HostMemory, outcome: HostOutcome): HostMemory => ({
  ...('node' in outcome && outcome.node !== undefined ? withNode(memory, outcome.node) : memory),
  isAborted: true,
});

/** Marks the volumes as unknown, because an operation that began with older code did not do so at its start. */
const withVolumesUnsure = (memory: HostMemory, task: Task): HostMemory =>
  task.name === 'prepare' ? markUnsure(memory, task.order) : memory;

/** Forgets the node: the next registration finds out whether Ironic knows it. */
const unregistered = (memory: HostMemory): HostMemory => withNode({ ...memory, registration: null }, null);

const warned = (memory: HostMemory, { warning }: HostOutcome & { kind: 'failed' }): HostMemory =>
  warning === undefined ? memory : withEvent(memory, warning.reason, warning.message, true);

const finished = (memory: HostMemory, task: Pick<Task, 'name'>): HostMemory => ({
  ...memory,
  finished: { name: task.name },
});

function done(before: HostMemory, task: Task, outcome: HostOutcome & { kind: 'done' }): HostMemory {
  const memory = outcome.node === undefined ? before : withNode(before, outcome.node);
  switch (task.name) {
    case 'image':
      return { ...memory, imageRequested: task.order.desired };
    case 'inspect':
      return {
        ...withEvent(errorCleared(finished(memory, task)), 'InspectionComplete', 'Hardware inspection completed'),
        inspected: true,
        refreshInspection: false,
        architecture: outcome.inventory?.architecture ?? memory.architecture,
      };
    case 'prepare':
      return preparationDone(
        task.order.unprepared ? prepared(preparationKnown(memory), task.order) : preparationKnown(memory),
      );
    case 'provision': {
      const message = `Image provisioning completed for ${publicPart(task.order.image?.url ?? '')}`;
      return {
        ...withEvent(withRebootSpent(memory), 'ProvisioningComplete', message),
        finished: { name: 'provision', ...askedBy(task.order) },
      };
    }
    case 'deprovision':
      if (outcome.node?.state === 'active') {
        const kept = { ...memory, finished: { name: task.name, keptImage: true, ...askedBy(task.order) } } as const;
        return withEvent(
          kept,
          'DeprovisioningCancelled',
          'Nothing was deprovisioned: the host asks for its image again',
        );
      }
      return finished(
        withEvent(withRebootSpent(memory), 'DeprovisioningComplete', 'Image deprovisioning completed'),
        task,
      );
    case 'power': {
      const { on, rebootFor } = task.order;
      // Power did not change: no Event.
      const isNews = rebootFor !== undefined || before.node?.poweredOn !== on;
      const told = isNews ? withEvent(memory, ...powerEvent(task.order)) : memory;
      return finished(errorCleared(withRebootDone(told, task.order)), task);
    }
    case 'examine':
      return outcome.node !== undefined && isOccupied(outcome.node) ? finished(memory, task) : errorCleared(memory);
    case 'adopt': {
      const adopted = finished(errorCleared(memory), task);
      return outcome.adopted === true ? withListed(adopted, ...ADOPTED) : adopted;
    }
    case 'delete':
      return outcome.node !== undefined && staysInIronic(outcome.node, task.order) ? memory : finished(memory, task);
    case 'detach':
    case 'release':
      return finished(memory, task);
    case 'ask for place':
    case 'abort':
    case 'discard':
      return memory;
    case 'return place':
      return withPlacesReturned(memory, task.order);
    case 'register':
    case 'media':
      return memory;
  }
}

const ADOPTED = ['AdoptionComplete', 'Host adopted'] as const;

function preparationDone(memory: HostMemory): HostMemory {
  const began = taskBegan(memory);
  return { ...memory, finished: { name: 'prepare', ...(began !== undefined && { began }) } };
}

/** What a deployment installs, or what stays of it. */
const askedBy = ({
  image,
  customDeployMethod: method,
}: NodeOrder): Pick<NonNullable<HostMemory['finished']>, 'image' | 'customDeploy'> => ({
  ...(image && { image }),
  ...(method !== undefined && { customDeploy: { method } }),
});

function powerEvent({ on, mode, rebootFor }: PowerOrder): [reason: string, message: string] {
  if (rebootFor !== undefined) return ['Reboot', mode === 'soft' ? 'Host soft rebooted' : 'Host rebooted'];
  if (on) return ['PowerOn', 'Host powered on'];
  return ['PowerOff', mode === 'soft' ? 'Host soft powered off' : 'Host powered off'];
}

const ERROR_TYPE: Readonly<Record<Task['name'], ErrorType>> = {
  register: 'registration error',
  image: 'registration error',
  adopt: 'provisioned registration error',
  inspect: 'inspection error',
  prepare: 'preparation error',
  provision: 'provisioning error',
  deprovision: 'provisioning error',
  examine: 'provisioning error',
  power: 'power management error',
  media: 'power management error',
  delete: 'provisioning error',
  detach: 'registration error',
  release: 'provisioning error',
  abort: 'provisioning error',
  discard: 'provisioning error',
  'ask for place': 'provisioning error',
  'return place': 'provisioning error',
};

function failed(memory: HostMemory, task: Task, message: string, chance: Chance): HostMemory {
  if (saysOccupied(message)) return occupied(memory, task, message, chance);
  return fail(
    task.name === 'prepare' ? unprepared(memory, task.order) : memory,
    ERROR_TYPE[task.name],
    message,
    chance,
  );
}

/** Only a person can say what is to become of it. A host that was to be deployed is parked in the state before. */
function occupied(memory: HostMemory, { name }: Task, message: string, { now }: Chance): HostMemory {
  const parked = park(memory, ERROR_TYPE[name], message, now, NODE_OCCUPIED);
  return name === 'provision' ? { ...parked, retry: null } : parked;
}

const attemptOf = ({ image, customDeployMethod: method }: ProvisionOrder): NonNullable<HostMemory['attempted']> => ({
  url: image?.url ?? '',
  ...(method !== undefined && { method }),
});

/** The Event is for the removal of an image, not for a repeated cleaning after it. */
function deprovisioningTold(memory: HostMemory, { retry }: DeprovisionOrder): HostMemory {
  const failed = retry ? memory.node?.state : undefined;
  if (failed === 'clean failed') return memory;
  const message = `Image deprovisioning ${failed === 'error' ? 'restarted' : 'started'}`;
  return withEvent(memory, 'DeprovisioningStarted', message);
}

const isOperation = ({ name }: Task): boolean =>
  name === 'inspect' || name === 'prepare' || name === 'provision' || name === 'deprovision';

function withoutAbort(memory: HostMemory): HostMemory {
  if (!memory.isAborted) return memory;
  const { isAborted: _, ...rest } = memory;
  return rest;
}

/** The Event for the start of an operation, shown while it runs, and the annotations that the operation handles. */
export function startOf(before: HostMemory, task: Task): HostMemory {
  const memory = isOperation(task) ? withoutAbort(before) : before;
  switch (task.name) {
    case 'inspect': {
      const started = withRebootSpent(withEvent(memory, 'InspectionStarted', 'Hardware inspection started'));
      return reinspectionAsked(memory)
        ? { ...withSpent(started, ANNOTATIONS.inspect), refreshInspection: true }
        : started;
    }
    case 'provision': {
      const message = `Image provisioning started for ${publicPart(task.order.image?.url ?? '')}`;
      return {
        ...withEvent(withRebootSpent(memory), 'ProvisioningStarted', message),
        attempted: attemptOf(task.order),
      };
    }
    case 'prepare':
      return task.order.unprepared
        ? errorCleared(preparationBegun(withPreparationBegun(memory, task.order), task.order))
        : memory;
    case 'deprovision':
      return deprovisioningTold(memory, task.order);
    case 'ask for place':
      return withPlaceAsked(memory, task.order);
    case 'return place':
      return placesGivenUp(memory, task.order);
    case 'image':
    case 'media':
    case 'register':
    case 'adopt':
    case 'examine':
    case 'power':
    case 'delete':
    case 'detach':
    case 'release':
    case 'abort':
    case 'discard':
      return memory;
  }
}
