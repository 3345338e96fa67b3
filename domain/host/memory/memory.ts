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

/** The settings of the last registration; the host is registered again when the desired ones differ. */
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
  /** resourceVersion of the Secret in the snapshot before the registration. */
  readonly credentialsSeen: string | null;
  /** resourceVersion of the Secret after it was marked. */
  readonly credentialsUsed: string | null;
  /** The deploy agent's image that Ironic has, where images are built for each host. */
  readonly agentImage?: AgentImage;
  /** resourceVersions of the Secret in `preprovisioningNetworkDataName`: as seen, and after it was marked. */
  readonly network?: { readonly seen: string | null; readonly used: string };
  /** The requested CPU architecture, '' for the operator's own, and the one that Ironic has; absent when unknown. */
  readonly architecture?: { readonly asked: string; readonly told: string };
}

/** When a failed host tries again: at a time, or after a change. */
export type Retry = { readonly kind: 'at'; readonly at: number } | { readonly kind: 'on change' };

/** What a deployment installed on the host. */
type Deployed = Pick<HostRecord['provisioning'], 'image' | 'customDeploy'>;

/** Memory of a host's workflow. Plain JSON; continue-as-new passes it on. */
export interface HostMemory {
  readonly version: 1;
  readonly seen: HostSnapshot;
  readonly status: HostRecord;
  /** The BareMetalHost has our finalizer. */
  readonly held: boolean;
  readonly registration: Registration | null;
  readonly node: IronicNode | null;
  readonly retry: Retry | null;
  /** The task that succeeded in the current state, if any: it leads to the next state. */
  readonly finished: ({ readonly name: Task['name'] } & Deployed) | null;
  /** The deployment started in the current state: URL and custom step. */
  readonly attempted: { readonly url: string; readonly method?: string } | null;
  /** status.hardware follows HardwareData. */
  readonly inspected: boolean;
  /** CPU architecture from inspection, '' before. */
  readonly architecture: string;
  /** Inspect even though Ironic has an inventory: a new inspection was requested. */
  readonly refreshInspection: boolean;
  /** What we last wrote to the PreprovisioningImage, until a snapshot shows it. */
  readonly imageAsked?: ImageWish;
  /** The virtual drive, after it was first read. */
  readonly media?: MediaRecord;
  /** Number of child workflows so far; part of their ids. */
  readonly operations: number;
  /** Grows with each change of the view. */
  readonly revision: number;
  /** The last revision that was published. */
  readonly shown: number;
  /** The provisioning state in the published view: a state is shown before it is left. */
  readonly shownState: ProvisioningState | null;
  /** The power in the published view; null before the first. */
  readonly shownPower: boolean | null;
  /** Events that are not published yet, and the number of all events so far. */
  readonly events: readonly HostEvent[];
  readonly eventCount: number;
  /** Annotations that were handled and that snapshots still show. */
  readonly consumedAnnotations: readonly string[];
  /** Remaining reboot annotations for which a host that is never powered off was rebooted. */
  readonly rebootedFor: readonly string[];
  /** Why the host waits, in words; '' while it is busy. */
  readonly waitingFor: string;
  /** The BareMetalHost disappeared although it had our finalizer: nothing more is done for it. */
  readonly vanished: boolean;
  /** The requested or held slot. */
  readonly slot?: Slot;
  /** Tickets of slots to return. */
  readonly unwantedSlots?: readonly string[];
}

const NEVER = { start: null, end: null };

/** The status of a new BareMetalHost. */
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

/** A host with an unknown state is treated as a new one. */
function taken(status: CarriedHostStatus): HostRecord {
  const state = PROVISIONING_STATES.find((known) => known === status.provisioning.state) ?? '';
  return {
    ...EMPTY_RECORD,
    ...status,
    operationHistory: { ...EMPTY_RECORD.operationHistory, ...status.operationHistory },
    provisioning: { ...status.provisioning, state },
  };
}

/** Starts from the BareMetalHost alone, so that a lost Temporal database heals without changing any host. */
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
 * Takes in a snapshot. Snapshots older than the last are ignored, and a new uid starts with a new memory. Any change by
 * a user (spec, annotations, BMC Secret, deletion, failure count of deployments) ends a backoff.
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
    // The view has the generation that it is based on and whether the DataImage can be deleted.
    revision:
      memory.seen.generation === seen.generation && same(memory.seen.dataImage, seen.dataImage)
        ? told.revision
        : told.revision + 1,
    consumedAnnotations: memory.consumedAnnotations.filter(isStillThere),
    rebootedFor: memory.rebootedFor.filter(isStillThere),
    retry: asksForMore(memory, memory.seen, seen) ? null : memory.retry,
  };
}

/** Adds one Event for each unreadable value of a reboot annotation. */
function withMisreadings(memory: HostMemory, before: HostSnapshot | undefined, after: HostSnapshot): HostMemory {
  return Object.entries(after.annotations)
    .filter(([key, value]) => isRebootKey(key) && before?.annotations[key] !== value && readReboot(value) === undefined)
    .reduce((told, [, value]) => withEvent(told, 'InvalidAnnotationValue', unreadable(value)), memory);
}

/** The same text as upstream. */
const unreadable = (value: string): string =>
  `could not parse reboot annotation (${value}) - invalid json, assuming soft-reboot`;

/** True when deletion was requested, unless it is delayed because the host is detached. */
export const isDeleting = ({ seen }: HostMemory): boolean =>
  seen.deletionTimestamp !== undefined && detachmentAsked(seen)?.deleteAction !== 'delay';

export const hasBmcDetails = (memory: HostMemory): boolean => {
  const bmc = memory.seen.spec.bmc;
  return bmc !== undefined && (bmc.address !== '' || bmc.credentialsName !== '');
};

/** Adds an Event; its id is unique for the host's uid. */
export function withEvent(memory: HostMemory, reason: string, message: string, warning = false): HostMemory {
  const eventCount = memory.eventCount + 1;
  return {
    ...memory,
    revision: memory.revision + 1,
    eventCount,
    events: [...memory.events, { id: String(eventCount), reason, message, ...(warning && { warning }) }],
  };
}

/** Changes the recorded status; the revision moves so that the change is published. */
export function withStatus(memory: HostMemory, change: Partial<HostRecord>): HostMemory {
  return { ...memory, revision: memory.revision + 1, status: { ...memory.status, ...change } };
}

/** The bridge has published this view: its Events and annotations need not be sent again. */
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
