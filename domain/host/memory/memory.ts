import { type AutomatedCleaningMode, PROVISIONING_STATES } from '../../../api/baremetalhost/values.ts';
import type { Shown, ShownEvent } from '../../entity/view.ts';
import type { IronicNode } from '../../ironic/node/node.ts';
import type { AgentImage, ImageWish } from '../../preprovisioning/image.ts';
import { asksForMore } from './asks-for-more.ts';
import { isConsumerUnseen, withKnownConsumer } from './consumer.ts';
import { detachmentAsked } from './detach-annotation.ts';
import type { CarriedHostStatus, HostRecord } from './host-record.ts';
import type { MediaRecord } from './media-record.ts';
import { isRebootKey, readReboot } from './reboot-annotations.ts';
import { withSealedImages } from './sealed-images.ts';
import { inheritedSlots, type Slot } from './slot-record.ts';
import type { HostSnapshot } from './snapshot.ts';
import type { Task } from './task.ts';

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
  /** What a policy says against marking the Secret of the BMC. */
  readonly refusal?: string;
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
  /**
   * Version of the BareMetalHost with the consumer that we wrote; absent after a snapshot of this or a later version.
   */
  readonly consumerWritten?: string;
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

/**
 * Starts from the BareMetalHost alone, so that a lost Temporal database does no harm to hosts. `before`: memory of a
 * deleted host of the same name.
 */
export function begin(seen: HostSnapshot, before?: HostMemory): HostMemory {
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
    shownPower: null,
    events: [],
    eventCount: 0,
    consumedAnnotations: [],
    rebootedFor: [],
  };
  return { ...withMisreadings(memory, undefined, seen), ...(before && inheritedSlots(before)) };
}

/**
 * Takes in a newer snapshot of the same host. Whatever a user can change (spec, annotations, the BMC's Secret, deletion, the
 * count of failed deployments) ends a backoff.
 */
export function absorb(memory: HostMemory, snapshot: HostSnapshot): HostMemory {
  const { status: _, ...rest } = withKnownConsumer(memory, snapshot);
  const { consumerWritten, ...known } = withFailCount(withSealedImages(memory, rest), rest);
  const isStillThere = (key: string): boolean => key in rest.annotations;
  const imageStands = rest.image?.resourceVersion === memory.seen.image?.resourceVersion;
  const { imageAsked, ...told } = withMisreadings(known, known.seen, rest);
  return {
    ...told,
    ...(imageAsked !== undefined && imageStands && { imageAsked }),
    ...(consumerWritten !== undefined && isConsumerUnseen(memory, snapshot) && { consumerWritten }),
    seen: rest,
    consumedAnnotations: known.consumedAnnotations.filter(isStillThere),
    rebootedFor: known.rebootedFor.filter(isStillThere),
    retry: asksForMore(known, known.seen, rest) ? null : known.retry,
  };
}

/** A count of failed deployments that another client has written allows further attempts at once. */
function withFailCount(
  memory: HostMemory,
  { resourceVersion, failCountWritten: count }: HostMemory['seen'],
): HostMemory {
  if (count === undefined || resourceVersion === memory.seen.resourceVersion) return memory;
  if (count === memory.status.provisioningFailCount) return memory;
  return withStatus({ ...memory, retry: null }, { provisioningFailCount: count });
}

/** Adds an Event for each unreadable value of a reboot annotation, once. */
function withMisreadings(memory: HostMemory, before: HostSnapshot | undefined, after: HostSnapshot): HostMemory {
  return Object.entries(after.annotations)
    .filter(([key, value]) => isRebootKey(key) && before?.annotations[key] !== value && readReboot(value) === undefined)
    .reduce((told, [, value]) => withEvent(told, 'InvalidAnnotationValue', unreadable(value)), memory);
}

/** The same text as upstream. */
const unreadable = (value: string): string =>
  `could not parse reboot annotation (${value}) - invalid json, assuming soft-reboot`;

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

/** Adds an Event; its id is unique for the host's uid. */
export function withEvent(memory: HostMemory, reason: string, message: string, warning = false): HostMemory {
  const eventCount = memory.eventCount + 1;
  return {
    ...memory,
    eventCount,
    events: [...memory.events, { id: String(eventCount), reason, message, ...(warning && { warning }) }],
  };
}

/** Changes the recorded status. */
export const withStatus = (memory: HostMemory, change: Partial<HostRecord>): HostMemory => ({
  ...memory,
  status: { ...memory.status, ...change },
});

/** The BareMetalHost shows this, and has our finalizer: Events in it were written. */
export function withShown(memory: HostMemory, { finalizer, status, events = [] }: Shown): HostMemory {
  const told = new Set(events.map(({ id }) => id));
  const poweredOn = status?.['poweredOn'];
  return {
    ...memory,
    held: memory.held || finalizer === true,
    shownPower: typeof poweredOn === 'boolean' ? poweredOn : memory.shownPower,
    events: told.size === 0 ? memory.events : memory.events.filter(({ id }) => !told.has(id)),
  };
}
