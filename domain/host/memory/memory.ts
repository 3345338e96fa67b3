import { toSeconds } from '../../entity/conditions.ts';
import type { Shown, ShownEvent } from '../../entity/view.ts';
import type { IronicNode } from '../../ironic/node/node.ts';
import type { SentSettings } from '../../ironic/node-settings.ts';
import type { SecretSeen } from '../../ironic/orders.ts';
import type { Obstacle } from '../../lock/answers.ts';
import type { Need } from '../../lock/lock.ts';
import type { AgentImage, ImageWish } from '../../preprovisioning/image.ts';
import type { Awaited } from '../../steering/awaited.ts';
import type { WithSteered } from '../../steering/steered.ts';
import { detachmentAsked } from './detach-annotation.ts';
import type { HostRecord } from './host-record.ts';
import type { MediaRecord } from './media-record.ts';
import type { HostSnapshot } from './snapshot.ts';
import type { Task } from './task.ts';

/** The settings of the last registration; the host is registered again when the desired ones differ. */
export interface Registration {
  readonly settings: SentSettings;
  /** resourceVersion of the Secret in the snapshot before the registration. */
  readonly credentialsSeen: string | null;
  /** resourceVersion of the Secret after it was marked. */
  readonly credentialsUsed: string | null;
  /** The deploy agent's image that Ironic has, where images are built for each host. */
  readonly agentImage?: AgentImage;
  /** The Secret in `preprovisioningNetworkDataName` that was sent, with its resourceVersions: as seen, and after it was marked. */
  readonly network?: { readonly name: string; readonly seen: string | null; readonly used: string };
  /** The requested CPU architecture, '' for the operator's own, and the one that Ironic has; absent when unknown. */
  readonly architecture?: { readonly desired: string; readonly observed: string };
  /** Message of a policy that forbids to mark the Secret of the BMC. */
  readonly refusal?: string;
  /** A later registration failed or was cancelled: Ironic may have its settings, or these. */
  readonly isUnsure?: true;
}

/** When a failed host tries again: at a time, or after a change. */
export type Retry = { readonly kind: 'at'; readonly at: number } | { readonly kind: 'on change' };

/** Places of a lock that are requested or held: a slot in Ironic, or the places in budgets for a step. */
export interface Place {
  readonly ticket: string;
  /** Names the step, with its wish; '' for a slot. */
  readonly code: string;
  /** The needs that were sent with the request. */
  readonly needs: readonly Need[];
  /** Milliseconds since the epoch. */
  readonly requestedAt: number;
  /** `asked`: no answer yet. `refused`: there was no room in the line. */
  readonly state: 'requested' | 'queued' | 'refused' | 'granted';
  /** The budget that the host waits for; known once queued. */
  readonly waitsFor?: Obstacle;
  /** How many hosts were in the line that had no room. */
  readonly waiting?: number;
}

/** What a deployment installed on the host. */
type Deployed = Pick<HostRecord['provisioning'], 'image' | 'customDeploy'>;

/** Memory of a host's workflow. Plain JSON; continue-as-new passes it on. */
export interface HostMemory extends WithSteered {
  readonly version: 1;
  readonly seen: HostSnapshot;
  readonly status: HostRecord;
  /**
   * Version of the BareMetalHost with the consumer that we wrote; absent after a snapshot of this or a later version.
   */
  readonly consumerWritten?: string;
  /** The BareMetalHost has our finalizer. */
  readonly hasFinalizer: boolean;
  readonly registration: Registration | null;
  readonly node: IronicNode | null;
  readonly retry: Retry | null;
  /** The Secret with a text that made the last attempt of this task fail: a later version of it is tried at once. */
  readonly wrongSecret?: SecretSeen & { readonly task: 'register' | 'provision' };
  /** When the host came into its state; ms since the epoch. Absent for the state in which the memory began. */
  readonly stateSince?: number;
  /** When the first of the same errors in a row was recorded; ms since the epoch. Valid while the host shows an error. */
  readonly errorSince?: number;
  /** When the host asked for the slot that it waits for; ms since the epoch. Valid while the host is `delayed`. */
  readonly delayedSince?: number;
  /** When each annotation that holds the host was first seen, by its key; ms since the epoch. */
  readonly heldSince?: Readonly<Record<string, number>>;
  /**
   * The task that succeeded in the current state, if any: it leads to the next state. `keptImage`: its image was not
   * removed, because the BareMetalHost asks for it again.
   */
  readonly finished:
    | ({
        readonly name: Task['name'];
        readonly keptImage?: true;
        /** RFC 3339: when a preparation began. */
        readonly began?: string;
      } & Deployed)
    | null;
  /**
   * The host is being deleted, and nothing was requested of its power: its server was off when its node was last seen, or
   * the run began anew.
   */
  readonly isOffAssumed?: true;
  /** When the last task began; ms since the epoch. Absent in a memory that older code wrote, until the next task begins. */
  readonly taskSince?: number;
  /**
   * Set while a preparation changes volumes, and after one that failed or was cancelled: it is not known which volumes
   * there are. The BareMetalHost then shows none, so that a run that begins anew does not count them as built.
   */
  readonly isPreparationUnsure?: true;
  /** The code that an approval of the last preparation names; absent before the first one of this run. */
  readonly preparedFor?: string;
  /** The deployment started in the current state: URL and custom step. */
  readonly attempted: { readonly url: string; readonly method?: string } | null;
  /** The error of the last failed deployment; for the image that `provisioningFailCount` counts, while it is not 0. */
  readonly deploymentFailure?: string;
  /** status.hardware follows HardwareData. */
  readonly inspected: boolean;
  /** CPU architecture from inspection, '' before. */
  readonly architecture: string;
  /** Inspect even though Ironic has an inventory: a new inspection was requested. */
  readonly refreshInspection: boolean;
  /** What we last wrote to the PreprovisioningImage, until a snapshot shows it. */
  readonly imageRequested?: ImageWish;
  /** The virtual drive, after it was first read. */
  readonly media?: MediaRecord;
  /** The power state in the BareMetalHost's status; null before the first. */
  readonly shownPower: boolean | null;
  /** Events that are not written yet, and the number of all Events so far. */
  readonly events: readonly ShownEvent[];
  readonly eventCount: number;
  /** Annotations that were handled and that snapshots still show. */
  readonly consumedAnnotations: readonly string[];
  /** Remaining reboot annotations for which a host that is never powered off was rebooted. */
  readonly rebootedFor: readonly string[];
  /** The requested or granted slot. */
  readonly slot?: Place;
  /** What the host waits for before a step that needs an approval, a window or a place in a budget. */
  readonly awaits?: Awaited;
  /** The host was attached again, and Ironic does not know its node yet. */
  readonly isReattached?: true;
  /** The annotation has aborted Ironic's operation; set until the next operation begins. */
  readonly isAborted?: true;
  /**
   * The bridge has once found the node of the host, while it was in use, in a state from which Ironic can't adopt it.
   * Absent in older memories, which showed nothing of such a state.
   */
  readonly isUnadoptable?: true;
  /** Tickets of slots to return. */
  readonly slotsToReturn?: readonly string[];
  /** The requested or granted places in budgets. */
  readonly place?: Place;
  /** Tickets of places to return. */
  readonly placesToReturn?: readonly string[];
}

/** True when deletion was requested, unless it is delayed because the host is detached. */
export const isDeleting = ({
  seen,
}: {
  readonly seen: Pick<HostSnapshot, 'deletionTimestamp' | 'annotations'>;
}): boolean => seen.deletionTimestamp !== undefined && detachmentAsked(seen)?.deleteAction !== 'delay';

export const hasBmcDetails = (memory: HostMemory): boolean => {
  const bmc = memory.seen.spec.bmc;
  return bmc !== undefined && (bmc.address !== '' || bmc.credentialsName !== '');
};

/** Adds an Event. */
export const withEvent = (memory: HostMemory, reason: string, message: string, warning = false): HostMemory =>
  appendEvent(memory, { reason, message, ...(warning && { warning }) });

/** Adds an Event for an operation that was cancelled; the list of operations has `why` alone. */
export const withCancellationEvent = (memory: HostMemory, reason: string, message: string, why: string): HostMemory =>
  appendEvent(memory, { reason, message, why });

/** Adds an entry for the list of operations alone, of a task for which upstream has no Event. */
export const withListed = (memory: HostMemory, reason: string, message: string, began?: string): HostMemory =>
  appendEvent(memory, { reason, message, onlyListed: true, ...(began !== undefined && { began }) });

/** The id is unique for the host's uid. */
function appendEvent(memory: HostMemory, event: Omit<ShownEvent, 'id'>): HostMemory {
  const eventCount = memory.eventCount + 1;
  return { ...memory, eventCount, events: [...memory.events, { id: String(eventCount), ...event }] };
}

/** When the last task began, RFC 3339. */
export const taskBegan = ({ taskSince }: HostMemory): string | undefined =>
  taskSince === undefined ? undefined : toSeconds(taskSince);

/** Adds to the Events that a task has ended with, at `now` (ms since the epoch), when it began and how long it took. */
export function withBegin(before: HostMemory, after: HostMemory, now: number): HostMemory {
  const began = taskBegan(before);
  if (began === undefined || after.eventCount === before.eventCount) return after;
  const isNew = ({ id }: ShownEvent): boolean => Number(id) > before.eventCount;
  const tookMs = Math.max(0, now - (before.taskSince ?? now));
  return { ...after, events: after.events.map((event) => (isNew(event) ? { ...event, began, tookMs } : event)) };
}

/** Changes the recorded status. */
export const withStatus = (memory: HostMemory, change: Partial<HostRecord>): HostMemory => ({
  ...memory,
  status: { ...memory.status, ...change },
});

/** No deployment of this image has failed yet. */
export function withoutFailures(memory: HostMemory): HostMemory {
  const { deploymentFailure: _, ...rest } = memory;
  return withStatus(rest, { provisioningFailCount: 0 });
}

/** The BareMetalHost shows this, and has our finalizer: Events in it were written. */
export function withShown(memory: HostMemory, { finalizer, status, events = [] }: Shown): HostMemory {
  const told = new Set(events.map(({ id }) => id));
  const poweredOn = status?.['poweredOn'];
  return {
    ...memory,
    hasFinalizer: memory.hasFinalizer || finalizer === true,
    shownPower: typeof poweredOn === 'boolean' ? poweredOn : memory.shownPower,
    events: told.size === 0 ? memory.events : memory.events.filter(({ id }) => !told.has(id)),
  };
}
