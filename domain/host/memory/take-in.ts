import { PROVISIONING_STATES, STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { traitsOf } from '../../states/table.ts';
import { asksForMore } from './asks-for-more.ts';
import { isConsumerUnseen, withKnownConsumer } from './consumer.ts';
import { withCorrectedSecret } from './corrected-secret.ts';
import type { CarriedHostStatus, HostRecord } from './host-record.ts';
import { type HostMemory, withEvent, withoutFailures, withStatus } from './memory.ts';
import { withNewAbort } from './new-abort.ts';
import { withInheritedPlaces } from './place-record.ts';
import { isRebootKey, readReboot } from './reboot-annotations.ts';
import type { HostSnapshot } from './snapshot.ts';

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
    hasFinalizer: false,
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
    // A run that is lost does not say whether its server was powered off, or given up.
    ...(traitsOf(status?.provisioning.state ?? '').work === 'delete' && { isOffAssumed: true }),
  };
  const begun = withMisreadings(memory, undefined, seen);
  return before === undefined ? begun : withInheritedPlaces(begun, before);
}

/**
 * Takes in a newer snapshot of the same host. Whatever a user can change (spec, annotations, Secrets, deletion, the
 * count of failed deployments) ends a backoff.
 */
export function absorb(memory: HostMemory, snapshot: HostSnapshot): HostMemory {
  const { status: _, ...rest } = withKnownConsumer(memory, snapshot);
  const counted = withFailCount(memory, rest);
  const { consumerWritten, ...known } = withNewAbort(withCorrectedSecret(counted, memory.seen, rest), rest);
  const isStillThere = (key: string): boolean => key in rest.annotations;
  const isAnotherRetry = rest.retry !== memory.seen.retry;
  const isHandled = (key: string): boolean =>
    isStillThere(key) && !(key === STEERING_ANNOTATIONS.retry && isAnotherRetry);
  const imageStands = rest.image?.resourceVersion === memory.seen.image?.resourceVersion;
  const { imageRequested, ...told } = withMisreadings(known, known.seen, rest);
  return {
    ...told,
    ...(imageRequested !== undefined && imageStands && { imageRequested }),
    ...(consumerWritten !== undefined && isConsumerUnseen(memory, snapshot) && { consumerWritten }),
    seen: rest,
    consumedAnnotations: known.consumedAnnotations.filter(isHandled),
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
  const retried: HostMemory = { ...memory, retry: null };
  return count === 0 ? withoutFailures(retried) : withStatus(retried, { provisioningFailCount: count });
}

/** Adds an Event when reboot annotations have come or changed that can't be read: one for all, however many there are. */
function withMisreadings(memory: HostMemory, before: HostSnapshot | undefined, after: HostSnapshot): HostMemory {
  const unreadable = Object.entries(after.annotations).filter(
    ([key, value]) => isRebootKey(key) && before?.annotations[key] !== value && readReboot(value) === undefined,
  );
  const [first] = unreadable;
  if (first === undefined) return memory;
  const what =
    unreadable.length === 1 ? `reboot annotation (${quoted(first[1])})` : `${unreadable.length} reboot annotations`;
  // The same text as upstream for one.
  const message = `could not parse ${what} - invalid json, assuming soft-reboot`;
  return withEvent(memory, 'InvalidAnnotationValue', message, true);
}

/** Characters of a value: an Event has no room for more. */
const QUOTED = 500;
const quoted = (value: string): string =>
  value.length <= QUOTED ? value : `${value.slice(0, QUOTED).toWellFormed()}…`;
