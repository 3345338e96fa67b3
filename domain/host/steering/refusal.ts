import { ANNOTATIONS, APPROVAL_ANNOTATIONS, STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import type { ObjectReference } from '../../../api/meta/references.ts';
import { isMovedAway } from '../../cluster-api/names.ts';
import { PAUSED_BY_CLUSTER } from '../../machine/names.ts';
import { isAtRest, isFree, isInUse, traitsOf } from '../../states/table.ts';
import { answerIn } from '../../steering/answer.ts';
import type { Awaited } from '../../steering/awaited.ts';
import type { SteeringMessage } from '../../steering/messages.ts';
import { isInspectionDisabled } from '../desired/inspection-disabled.ts';
import type { HostMemory } from '../memory/memory.ts';
import { isRebootKey } from '../memory/reboot-annotations.ts';
import { ownConsumer } from '../own-consumer.ts';
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
  machine: machineNamed(seen.namespace, seen.spec),
  awaits,
});

/** The Metal3Machine that has the host of this namespace; undefined: none. */
export function machineNamed(
  namespace: string,
  { consumerRef }: { readonly consumerRef?: ObjectReference | undefined },
): string | undefined {
  const consumer = ownConsumer(namespace, consumerRef);
  return consumer?.kind === 'Metal3Machine' ? consumer.name : undefined;
}

/** What the run of a host knows before its object shows it. */
export type KnownOfHost = Pick<SteeredHost, 'state' | 'hasError' | 'awaits'>;

/** Why the host refuses a message now, and what to send instead; undefined: it accepts the message. */
export function steeringRefusal(host: SteeredHost, message: SteeringMessage): string | undefined {
  const { annotations } = host;
  const paused = annotations[ANNOTATIONS.paused];
  const isParked = STEERING_ANNOTATIONS.abort in annotations;
  const isInQuarantine = STEERING_ANNOTATIONS.quarantine in annotations;
  if (isMovedAway(host)) return 'clusterctl has moved it: steer it in its new cluster';
  switch (message.name) {
    case 'pause':
      if (paused === undefined) return undefined;
      return paused === PAUSED_BY_CLUSTER ? CLUSTER_PAUSED : 'it is paused already: resume ends that';
    case 'resume':
      if (paused === PAUSED_BY_CLUSTER) return CLUSTER_PAUSED;
      if (paused !== undefined || isParked) return undefined;
      return isInQuarantine
        ? 'it is in quarantine: release ends that'
        : `it is neither paused nor parked by an abort: ${onward(host)}`;
    case 'quarantine':
      return isInQuarantine ? 'it is in quarantine already: release ends that' : undefined;
    case 'release':
      if (isInQuarantine) return undefined;
      if (paused === PAUSED_BY_CLUSTER) return `it is not in quarantine, but ${CLUSTER_PAUSED}`;
      return `it is not in quarantine: ${isParked || paused !== undefined ? 'resume lets it go on' : onward(host)}`;
    case 'abort':
      if (paused !== undefined) return whyPaused(paused);
      if (isParked) return `it is parked already: ${isInQuarantine ? 'resume ends that' : 'resume or retry goes on'}`;
      return traitsOf(host.state).operation.isAbortable ? undefined : notAborted(host);
    case 'retry':
      if (paused !== undefined) return whyPaused(paused);
      if (isInQuarantine) return QUARANTINED;
      return host.hasError || isParked ? undefined : `nothing has failed (${stateOf(host)}): ${onward(host)}`;
    case 'reinspect':
      return held(host) ?? reinspection(host);
    case 'power':
      return held(host) ?? power(host, message.to);
    case 'approve':
    case 'reject':
      return approval(host, message);
    case 'forceDelete':
      return forceDeletion(host, message.confirm);
  }
}

const CLUSTER_PAUSED = 'its Cluster is paused: set spec.paused of the Cluster to false';
const QUARANTINED = 'it is in quarantine: release it first';

const stateOf = ({ state }: Pick<SteeredHost, 'state'>): string => `it is ${state === '' ? 'new' : state}`;

const whyPaused = (paused: string): string =>
  paused === PAUSED_BY_CLUSTER ? CLUSTER_PAUSED : 'it is paused: resume it first';

/** What makes a host go on that no annotation holds. */
function onward(host: SteeredHost): string {
  if (isForceDeleteAsked(host)) return UNTIL_GONE;
  if (host.hasError) return 'retry tries again what has failed';
  return host.awaits?.for === 'approval'
    ? `it waits for approve or reject of ${host.awaits.code}`
    : 'it goes on by itself when something changes';
}

const UNTIL_GONE = 'wait until it is gone';

/** Why nothing can be begun on the host now; undefined: something can. */
function held(host: SteeredHost): string | undefined {
  const { annotations, deletionTimestamp } = host;
  if (deletionTimestamp !== undefined) return `it is being deleted: ${deletionGoesOn(host)}`;
  const paused = annotations[ANNOTATIONS.paused];
  if (paused !== undefined) return whyPaused(paused);
  if (STEERING_ANNOTATIONS.quarantine in annotations) return QUARANTINED;
  return STEERING_ANNOTATIONS.abort in annotations ? 'it is parked by an abort: resume or retry it first' : undefined;
}

/** What makes the deletion of the host go on. */
function deletionGoesOn(host: SteeredHost): string {
  const { annotations } = host;
  const paused = annotations[ANNOTATIONS.paused];
  if (paused !== undefined) return paused === PAUSED_BY_CLUSTER ? CLUSTER_PAUSED : 'resume lets that go on';
  if (isForceDeleteAsked(host)) return UNTIL_GONE;
  if (STEERING_ANNOTATIONS.quarantine in annotations) return 'release lets that go on';
  return STEERING_ANNOTATIONS.abort in annotations ? 'resume lets that go on' : 'forceDelete removes it at once';
}

/** Why there is nothing to abort; the host is neither paused nor parked. */
function notAborted(host: SteeredHost): string {
  const why =
    traitsOf(host.state).work === 'register'
      ? 'a registration cannot be aborted'
      : `nothing is in flight that could be aborted (${stateOf(host)})`;
  if (host.deletionTimestamp !== undefined) return `${why}: ${deletionGoesOn(host)}`;
  return STEERING_ANNOTATIONS.quarantine in host.annotations
    ? `${why}, and nothing is begun in quarantine: release ends that`
    : `${why}: quarantine keeps anything from being begun`;
}

function reinspection(host: SteeredHost): string | undefined {
  if (host.inspectionDisabled)
    return `its inspection is disabled: change spec.inspectionMode, or remove ${ANNOTATIONS.inspect}=disabled`;
  if (ANNOTATIONS.inspect in host.annotations) return 'a new inspection is asked for already: wait until it begins';
  return isFree(host.state)
    ? undefined
    : `only an available host is inspected again (${stateOf(host)}): remove its image, or wait`;
}

function power(host: SteeredHost, to: 'on' | 'off' | 'reboot'): string | undefined {
  if (!isAtRest(host.state))
    return `its power cannot be switched in this state (${stateOf(host)}): wait until it is available or provisioned`;
  if (to === 'on') return host.online ? onAlready(host) : undefined;
  if (!host.online)
    return to === 'off'
      ? 'spec.online is false already: power on switches it on'
      : 'spec.online is false: power on switches it on';
  return to === 'off' ? powerOff(host) : reboot(host);
}

/** Annotations `reboot.metal3.io/KEY` keep a host off although its spec.online is true. */
function onAlready(host: SteeredHost): string {
  const keeping = Object.keys(host.annotations).filter((key) => key !== ANNOTATIONS.reboot && isRebootKey(key));
  if (keeping.length > 0) {
    const removing = `kubectl annotate bmh ${host.name} ${keeping.map((key) => `${key}-`).join(' ')}`;
    return `spec.online is true already, but ${keeping.join(' and ')} keeps it off: ${removing} ends that`;
  }
  if (reboot(host) === undefined) return 'spec.online is true already: power reboot switches it off and on';
  return `spec.online is true already: ${powerOff(host) === undefined ? 'power off is possible' : 'it is switched on by itself'}`;
}

function reboot(host: SteeredHost): string | undefined {
  if (!isInUse(host.state))
    return `nothing runs on it, and only a provisioned host is rebooted: ${powerOff(host) === undefined ? 'power off is possible' : 'wait until it is provisioned'}`;
  return ANNOTATIONS.reboot in host.annotations ? 'a reboot is asked for already: wait until it is done' : undefined;
}

/** A Metal3Machine sets spec.online of its host to true again, as in CAPM3. */
function powerOff(host: SteeredHost): string | undefined {
  const { name, disablePowerOff, machine, state, annotations } = host;
  if (disablePowerOff)
    return `spec.disablePowerOff forbids it: ${isInUse(state) && !(ANNOTATIONS.reboot in annotations) ? 'power reboot is possible' : 'set that to false first'}`;
  if (machine === undefined) return undefined;
  const keeping = `kubectl annotate bmh ${name} ${ANNOTATIONS.reboot}/KEY=`;
  return `its Metal3Machine ${machine} switches it on again: ${keeping} keeps it off until that is removed`;
}

/** Why an approval would change nothing. */
const NOT_FOR_APPROVAL: Readonly<Record<Awaited['for'], string | undefined>> = {
  approval: undefined,
  window:
    'it waits for its window, which an approval does not open: wait for it, change the window, or reject the step',
  budget:
    'it waits for its turn in a budget, which an approval does not give: wait for it, change the budget, or reject the step',
};

/** Only an answer to what the host waits for now is accepted: the person may have read something older. */
function approval(
  { annotations, awaits, ...host }: SteeredHost,
  { name, code }: SteeringMessage & { readonly name: 'approve' | 'reject' },
): string | undefined {
  const isFor = (key: string): boolean => answerIn(annotations[key])?.code === code;
  const isAwaited = awaits?.code === code;
  if (isFor(APPROVAL_ANNOTATIONS.given) && name === 'approve')
    return `${code} is approved already: ${isAwaited ? 'reject takes that back' : 'wait until the step is done'}`;
  if (isFor(APPROVAL_ANNOTATIONS.rejected) && name === 'reject')
    return `${code} is rejected already: ${isAwaited ? 'approve takes that back' : 'change its spec for another step'}`;
  if (awaits === undefined)
    return `it waits for no approval (${stateOf(host)}): wait until its condition StepHeld says for which`;
  if (awaits.code !== code) return `it waits for ${awaits.code} now, to ${awaits.does}, and not for ${code}`;
  return name === 'approve' && !isFor(APPROVAL_ANNOTATIONS.rejected) ? NOT_FOR_APPROVAL[awaits.for] : undefined;
}

function forceDeletion(host: SteeredHost, confirm: string): string | undefined {
  const paused = host.annotations[ANNOTATIONS.paused];
  if (host.deletionTimestamp === undefined)
    return `it is not being deleted: kubectl delete bmh ${host.name} comes first`;
  if (confirm !== host.name) return `confirm is not the name of the host, ${host.name}`;
  if (paused !== undefined) return whyPaused(paused);
  return isForceDeleteAsked(host) ? `it is being deleted by force already: ${UNTIL_GONE}` : undefined;
}
