import {
  type AutomatedCleaningMode,
  PROVISIONING_STATES,
  type ProvisioningState,
} from '../../../api/baremetalhost/values.ts';
import { isOlder } from '../../entity/seen.ts';
import type { IronicNode } from '../../ironic/node/node.ts';
import type { AgentImage, ImageWish } from '../../preprovisioning/image.ts';
import { same } from '../../same.ts';
import { inheritedSlots, type Slot } from '../capacity/slot-record.ts';
import type { MediaRecord } from '../media/media.ts';
import { isRebootKey, readReboot } from '../power/reboot.ts';
import { detachmentAsked } from '../registration/detach-annotation.ts';
import type { CarriedHostStatus, HostEvent, HostRecord, HostView } from '../report/view.ts';
import type { Task } from '../step.ts';
import { asksForMore } from './asks-for-more.ts';
import type { HostSnapshot } from './snapshot.ts';

/** What a node was last registered for; a difference to what is wanted means: register again. */
export interface Registration {
  readonly settings: {
    readonly address: string;
    readonly credentialsName: string;
    readonly disableCertificateVerification: boolean;
    readonly bootMACAddress: string;
    readonly automatedCleaningMode: AutomatedCleaningMode;
    readonly disablePowerOff: boolean;
    readonly preprovisioningNetworkDataName: string;
  };
  /** resourceVersion of the Secret in the snapshot that led to the registration. */
  readonly credentialsSeen: string | null;
  /** resourceVersion of the Secret after it was claimed. */
  readonly credentialsUsed: string | null;
  /** The image of the deploy agent that Ironic was told of, where images are built. */
  readonly agentImage?: AgentImage;
  /** resourceVersions of the Secret in `preprovisioningNetworkDataName`: as seen, and after it was claimed. */
  readonly network?: { readonly seen: string | null; readonly used: string };
  /** The CPU architecture that was asked for, '' for the operator's own, and the one that Ironic has; absent: unknown. */
  readonly architecture?: { readonly asked: string; readonly told: string };
}

/** When a host that failed tries again: at a moment, or not before something about it changes. */
export type Retry = { readonly kind: 'at'; readonly at: number } | { readonly kind: 'on change' };

/** What a deployment has put on the host. */
type Deployed = Pick<HostRecord['provisioning'], 'image' | 'customDeploy'>;

/** All that a host's workflow remembers. Plain JSON; carried over by continue-as-new. */
export interface HostMemory {
  readonly version: 1;
  readonly seen: HostSnapshot;
  readonly status: HostRecord;
  /** Our finalizer is known to be on the BareMetalHost. */
  readonly held: boolean;
  readonly registration: Registration | null;
  readonly node: IronicNode | null;
  readonly retry: Retry | null;
  /** The task that ended well in the present state, if any: the state moves on because of it. */
  readonly finished: ({ readonly name: Task['name'] } & Deployed) | null;
  /** What was begun to be deployed in the present state, by URL and custom step. */
  readonly attempted: { readonly url: string; readonly method?: string } | null;
  /** status.hardware follows HardwareData. */
  readonly inspected: boolean;
  /** CPU architecture found by inspection, '' before. */
  readonly architecture: string;
  /** Inspect even though Ironic holds an inventory: somebody asked for it. */
  readonly refreshInspection: boolean;
  /** What the PreprovisioningImage was made to ask for, until it is seen to have changed. */
  readonly imageAsked?: ImageWish;
  /** The virtual drive, once it was looked into. */
  readonly media?: MediaRecord;
  /** Number of child workflows so far: their ids are built from it. */
  readonly operations: number;
  /** Grows with each change of what is shown. */
  readonly revision: number;
  /** The last revision that the bridge has been handed. */
  readonly shown: number;
  /** The provisioning state in it: a state is not left before it has been shown. */
  readonly shownState: ProvisioningState | null;
  /** The power in it; null: none was handed over yet. */
  readonly shownPower: boolean | null;
  /** Events not yet handed to the bridge, and how many there were in all. */
  readonly events: readonly HostEvent[];
  readonly eventCount: number;
  /** Annotations acted upon and not yet seen to be gone. */
  readonly consumedAnnotations: readonly string[];
  /** Reboot annotations still there for which a host that is never off was rebooted. */
  readonly rebootedFor: readonly string[];
  /** Why the host waits, in words; '' while it is busy. */
  readonly waitingFor: string;
  /** The BareMetalHost is gone without our finalizer having been asked: nothing more is to be done for it. */
  readonly vanished: boolean;
  /** One of the places that Ironic has for hosts at work, asked for or held. */
  readonly slot?: Slot;
  /** Tickets of such places that are to be given back. */
  readonly unwantedSlots?: readonly string[];
}

const NEVER = { start: null, end: null };

/** The status of a BareMetalHost that nobody has looked at yet. */
const EMPTY_RECORD: HostRecord = {
  operationalStatus: '',
  errorMessage: '',
  errorCount: 0,
  provisioningFailCount: 0,
  poweredOn: false,
  provisioning: { state: '', ID: '', image: { url: '' } },
  operationHistory: { register: NEVER, inspect: NEVER, provision: NEVER, deprovision: NEVER },
  goodCredentials: {},
  triedCredentials: {},
};

/** A state nobody knows is taken for a host that nobody has looked at. */
function taken(status: CarriedHostStatus): HostRecord {
  const state = PROVISIONING_STATES.find((known) => known === status.provisioning.state) ?? '';
  return {
    ...EMPTY_RECORD,
    ...status,
    operationHistory: { ...EMPTY_RECORD.operationHistory, ...status.operationHistory },
    provisioning: { ...status.provisioning, state },
  };
}

/** Starts from what the CR itself tells, so that a lost Temporal database heals without a host being touched. */
export function begin(seen: HostSnapshot): HostMemory {
  const { status, ...rest } = seen;
  const memory: HostMemory = {
    version: 1,
    seen: rest,
    status: status === undefined ? EMPTY_RECORD : taken(status),
    held: false,
    registration: null,
    node: null,
    retry: null,
    finished: null,
    attempted: null,
    inspected: seen.hasHardware || seen.hasHardwareData,
    architecture: seen.hardwareArchitecture,
    refreshInspection: false,
    operations: 0,
    revision: 1,
    shown: 0,
    shownState: null,
    shownPower: null,
    events: [],
    eventCount: 0,
    consumedAnnotations: [],
    rebootedFor: [],
    waitingFor: '',
    vanished: false,
  };
  return withMisreadings(memory, undefined, seen);
}

/**
 * Takes in a snapshot. Older ones than the last seen are ignored, a new uid starts anew; whatever a user can change
 * (spec, annotations, the BMC's Secret, deletion, the count of failed deployments) ends a backoff.
 */
export function absorb(memory: HostMemory, seen: HostSnapshot): HostMemory {
  if (isOlder(seen, memory.seen)) return memory;
  if (seen.uid !== memory.seen.uid) return { ...begin(seen), ...inheritedSlots(memory) };
  const { status: _, ...rest } = seen;
  const isCountWritten = seen.resourceVersion !== memory.seen.resourceVersion && seen.failCountWritten !== undefined;
  if (isCountWritten && seen.failCountWritten !== memory.status.provisioningFailCount) {
    const counted = withStatus({ ...memory, retry: null }, { provisioningFailCount: seen.failCountWritten });
    return absorb(counted, seen);
  }
  const isStillThere = (key: string): boolean => key in seen.annotations;
  const imageStands = seen.image?.resourceVersion === memory.seen.image?.resourceVersion;
  const { imageAsked, ...told } = withMisreadings(memory, memory.seen, seen);
  return {
    ...told,
    ...(imageAsked !== undefined && imageStands && { imageAsked }),
    seen: rest,
    // What is shown says which generation it takes into account, and whether the DataImage may go.
    revision:
      memory.seen.generation === seen.generation && same(memory.seen.dataImage, seen.dataImage)
        ? told.revision
        : told.revision + 1,
    consumedAnnotations: memory.consumedAnnotations.filter(isStillThere),
    rebootedFor: memory.rebootedFor.filter(isStillThere),
    retry: asksForMore(memory, memory.seen, seen) ? null : memory.retry,
  };
}

/** Tells, once for each value, of reboot annotations that can't be read. */
function withMisreadings(memory: HostMemory, before: HostSnapshot | undefined, after: HostSnapshot): HostMemory {
  return Object.entries(after.annotations)
    .filter(([key, value]) => isRebootKey(key) && before?.annotations[key] !== value && readReboot(value) === undefined)
    .reduce((told, [, value]) => withEvent(told, 'InvalidAnnotationValue', unreadable(value)), memory);
}

/** Word for word as upstream. */
const unreadable = (value: string): string =>
  `could not parse reboot annotation (${value}) - invalid json, assuming soft-reboot`;

/** True once somebody asked for the host to be deleted, unless its detachment puts that off. */
export const isDeleting = ({ seen }: HostMemory): boolean =>
  seen.deletionTimestamp !== undefined && detachmentAsked(seen)?.deleteAction !== 'delay';

export const hasBmcDetails = (memory: HostMemory): boolean => {
  const bmc = memory.seen.spec.bmc;
  return bmc !== undefined && (bmc.address !== '' || bmc.credentialsName !== '');
};

/** Adds an event; its id is unique in the life of the host. */
export function withEvent(memory: HostMemory, reason: string, message: string, warning = false): HostMemory {
  const eventCount = memory.eventCount + 1;
  return {
    ...memory,
    revision: memory.revision + 1,
    eventCount,
    events: [...memory.events, { id: String(eventCount), reason, message, ...(warning && { warning }) }],
  };
}

/** Changes the recorded status; the revision moves so that the change is shown. */
export function withStatus(memory: HostMemory, change: Partial<HostRecord>): HostMemory {
  return { ...memory, revision: memory.revision + 1, status: { ...memory.status, ...change } };
}

/** The bridge has taken this view: what it carried need not be carried again. */
export function withShown(memory: HostMemory, view: HostView): HostMemory {
  if (view.uid !== memory.seen.uid) return memory;
  const handed = new Set(view.events.map(({ id }) => id));
  return {
    ...memory,
    shown: view.revision,
    shownState: view.status.provisioning.state,
    shownPower: view.status.poweredOn,
    events: memory.events.filter(({ id }) => !handed.has(id)),
  };
}
