import { ANNOTATIONS, APPROVAL_ANNOTATIONS, STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import type { ObjectReference } from '../../../api/meta/types.ts';
import { isMovedAway } from '../../cluster-api/names.ts';
import { PAUSED_BY_CLUSTER } from '../../machine/names.ts';
import { answerIn } from '../../steering/answer.ts';
import type { Awaited } from '../../steering/awaited.ts';
import type { SteeringMessage } from '../../steering/messages.ts';
import { isInspectionDisabled } from '../desired/inspection-disabled.ts';
import type { HostMemory } from '../memory/memory.ts';
import { isForceDeleteAsked } from './force-delete-asked.ts';

/** The facts by which a message is accepted or refused. All of them are on the object. */
export interface SteeredHost {
  readonly name: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly deletionTimestamp?: string | undefined;
  readonly online: boolean;
  readonly disablePowerOff: boolean;
  readonly inspectionDisabled: boolean;
  readonly state: string;
  readonly hasError: boolean;
  /** The name of the Metal3Machine that has it. */
  readonly machine?: string | undefined;
  /** What the run waits for before it goes on. */
  readonly awaits?: Awaited | undefined;
}

export const steeredHost = ({ seen, status, awaits }: Pick<HostMemory, 'seen' | 'status' | 'awaits'>): SteeredHost => ({
  name: seen.name,
  annotations: seen.annotations,
  deletionTimestamp: seen.deletionTimestamp,
  online: seen.spec.online,
  disablePowerOff: seen.spec.disablePowerOff ?? false,
  inspectionDisabled: isInspectionDisabled(seen.spec.inspectionMode, seen.annotations),
  state: status.provisioning.state,
  hasError: status.errorType !== undefined,
  machine: machineNamed(seen.spec),
  awaits,
});

/** The Metal3Machine that has the host with this spec; undefined: none. */
export const machineNamed = ({
  consumerRef,
}: {
  readonly consumerRef?: ObjectReference | undefined;
}): string | undefined => (consumerRef?.kind === 'Metal3Machine' ? consumerRef.name : undefined);

/** What the run of a host knows before its object shows it. */
export type KnownOfHost = Pick<SteeredHost, 'state' | 'hasError' | 'awaits'>;

/** States in which an operation of Ironic runs that can be aborted. */
const IN_FLIGHT: readonly string[] = ['inspecting', 'preparing', 'provisioning', 'deprovisioning'];
const AVAILABLE: readonly string[] = ['available', 'ready'];
const IN_USE: readonly string[] = ['provisioned', 'externally provisioned'];

/** Why the host refuses a message now, and what to send instead; undefined: it accepts the message. */
export function steeringRefusal(host: SteeredHost, message: SteeringMessage): string | undefined {
  const { annotations } = host;
  const paused = annotations[ANNOTATIONS.paused];
  const isParked = STEERING_ANNOTATIONS.abort in annotations;
  const isInQuarantine = STEERING_ANNOTATIONS.quarantine in annotations;
  if (isMovedAway(host)) return 'clusterctl has moved it: steer it in its new cluster';
  switch (message.name) {
    case 'pause':
      return paused === undefined ? undefined : 'it is paused already: resume ends that';
    case 'resume':
      if (paused === PAUSED_BY_CLUSTER) return 'its Cluster is paused: set spec.paused of the Cluster to false';
      if (paused !== undefined || isParked) return undefined;
      return isInQuarantine ? 'it is in quarantine: release ends that' : 'it is neither paused nor parked by an abort';
    case 'quarantine':
      return isInQuarantine ? 'it is in quarantine already: release ends that' : undefined;
    case 'release':
      if (isInQuarantine) return undefined;
      return isParked || paused !== undefined
        ? 'it is not in quarantine: resume ends its pause'
        : 'it is not in quarantine';
    case 'abort':
      if (isParked) return 'it is parked already: resume or retry goes on';
      if (paused !== undefined) return PAUSED;
      return IN_FLIGHT.includes(host.state)
        ? undefined
        : `nothing is in flight that could be aborted (${stateOf(host)}): quarantine keeps anything from being begun`;
    case 'retry':
      if (paused !== undefined) return PAUSED;
      if (isInQuarantine) return QUARANTINED;
      return host.hasError || isParked
        ? undefined
        : `nothing has failed (${stateOf(host)}): it goes on by itself when something changes`;
    case 'reinspect':
      return held(host) ?? reinspection(host);
    case 'power':
      return held(host) ?? power(host, message.to);
    case 'approve':
    case 'reject':
      return approval(host, message);
    case 'forceDelete':
      return forceDeletion(host, message.confirm, paused !== undefined);
  }
}

const PAUSED = 'it is paused: resume it first';
const QUARANTINED = 'it is in quarantine: release it first';

const stateOf = ({ state }: Pick<SteeredHost, 'state'>): string => `it is ${state === '' ? 'new' : state}`;

/** Why nothing can be begun on the host now; undefined: something can. */
function held({ annotations, deletionTimestamp }: SteeredHost): string | undefined {
  if (deletionTimestamp !== undefined) return 'it is being deleted';
  if (ANNOTATIONS.paused in annotations) return PAUSED;
  if (STEERING_ANNOTATIONS.quarantine in annotations) return QUARANTINED;
  return STEERING_ANNOTATIONS.abort in annotations ? 'it is parked by an abort: resume or retry it first' : undefined;
}

function reinspection(host: SteeredHost): string | undefined {
  if (host.inspectionDisabled) return 'its inspection is disabled: see spec.inspectionMode';
  if (ANNOTATIONS.inspect in host.annotations) return 'a new inspection is asked for already';
  return AVAILABLE.includes(host.state)
    ? undefined
    : `only an available host is inspected again (${stateOf(host)}): remove its image, or wait`;
}

function power(host: SteeredHost, to: 'on' | 'off' | 'reboot'): string | undefined {
  if (!IN_USE.includes(host.state) && !AVAILABLE.includes(host.state))
    return `its power cannot be switched in this state (${stateOf(host)}): wait until it is available or provisioned`;
  if (to === 'on') return host.online ? 'spec.online is true already: power reboot switches it off and on' : undefined;
  if (!host.online)
    return to === 'off' ? 'spec.online is false already' : 'spec.online is false: power on switches it on';
  if (to === 'off') return powerOff(host);
  if (!IN_USE.includes(host.state)) return 'nothing runs on it: only a provisioned host is rebooted';
  return ANNOTATIONS.reboot in host.annotations ? 'a reboot is asked for already' : undefined;
}

/** A Metal3Machine sets spec.online of its host to true again, as in CAPM3. */
function powerOff({ name, disablePowerOff, machine }: SteeredHost): string | undefined {
  if (disablePowerOff) return 'spec.disablePowerOff forbids it: power reboot is possible';
  if (machine === undefined) return undefined;
  const keeping = `kubectl annotate bmh ${name} ${ANNOTATIONS.reboot}/KEY=`;
  return `its Metal3Machine ${machine} switches it on again: ${keeping} keeps it off until that is removed`;
}

/** Why an approval would change nothing. */
const NOT_FOR_APPROVAL: Readonly<Record<Awaited['for'], string | undefined>> = {
  approval: undefined,
  window: 'it waits for its window, which an approval does not open',
  budget: 'it waits for its turn in a budget, which an approval does not give',
};

/** Only an answer to what the host waits for now is accepted: the person may have read something older. */
function approval(
  { annotations, awaits, ...host }: SteeredHost,
  { name, code }: SteeringMessage & { readonly name: 'approve' | 'reject' },
): string | undefined {
  const isFor = (key: string): boolean => answerIn(annotations[key])?.code === code;
  if (isFor(APPROVAL_ANNOTATIONS.given) && name === 'approve') return `${code} is approved already`;
  if (isFor(APPROVAL_ANNOTATIONS.rejected) && name === 'reject') return `${code} is rejected already`;
  if (awaits === undefined) return `it waits for no approval (${stateOf(host)})`;
  if (awaits.code !== code) return `it waits for ${awaits.code} now, to ${awaits.does}, and not for ${code}`;
  return name === 'approve' && !isFor(APPROVAL_ANNOTATIONS.rejected) ? NOT_FOR_APPROVAL[awaits.for] : undefined;
}

function forceDeletion(host: SteeredHost, confirm: string, isPaused: boolean): string | undefined {
  if (host.deletionTimestamp === undefined)
    return `it is not being deleted: kubectl delete bmh ${host.name} comes first`;
  if (confirm !== host.name) return `confirm is not the name of the host, ${host.name}`;
  if (isPaused) return PAUSED;
  return isForceDeleteAsked(host) ? 'it is being deleted by force already' : undefined;
}
