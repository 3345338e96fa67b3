import { believed } from '../clock.ts';
import { toSeconds } from '../entity/conditions.ts';
import type { Moment } from '../entity/entity.ts';
import { wait } from '../entity/retry.ts';
import { same } from '../same.ts';
import { freeingNode } from './free-node.ts';
import { deadlineOf, inAttempt, inPhase, type RemediationMemory, timeoutOf } from './memory.ts';
import { powerOffKey } from './names.ts';
import { type Case, caseOf, ownKeys, precededBy, strayKeys } from './obstacles.ts';
import { handOver, powerOff, powerOn } from './orders.ts';
import { show } from './show.ts';
import type { RemediationPhase } from './snapshot.ts';
import type { RemediationStep } from './step.ts';
import { awaitingHealth, returningNode } from './wait-for-health.ts';
import { attempt } from './waits.ts';

/**
 * Running: the host is powered off, and what ran on it may move. Waiting: it is powered on, and the machine has until
 * the end of the attempt to become healthy; then the next attempt begins or, after the last, Cluster API gets the
 * Machine.
 */
export function nextStep(memory: RemediationMemory, moment: Moment): RemediationStep {
  if (memory.seen.paused) return wait('paused');
  const begun = begunByNow(memory, moment.now);
  if (begun !== memory) return { kind: 'note', memory: begun };
  if (memory.seen.deletionTimestamp !== undefined) return leaving(memory, moment.now);
  const { phase } = memory.record;
  if (phase === undefined) return starting(memory, moment.now);
  switch (phase) {
    case 'Running':
    case 'Waiting':
      return inHand(memory, phase, moment);
    case 'Deleting machine':
      return settled(memory, moment.now, replacing(memory));
    case 'Failed':
      return settled(memory, moment.now, 'failed: its host is powered off by spec.online');
  }
}

/** An attempt that began in the future, by the clock of others, begins now: it neither lasts for years nor is it over. */
function begunByNow(memory: RemediationMemory, now: number): RemediationMemory {
  const { lastRemediated } = memory.record;
  const at = Date.parse(lastRemediated) || 0;
  return believed(at, now) === at
    ? memory
    : { ...memory, record: { ...memory.record, lastRemediated: toSeconds(now) } };
}

const replacing = ({ seen: { machine } }: RemediationMemory): string =>
  machine?.api === undefined ? 'Cluster API replaces the Machine' : 'its owner replaces the Machine, if it has one';

function starting(memory: RemediationMemory, now: number): RemediationStep {
  const { seen } = memory;
  if (seen.strategy?.type !== 'Reboot') return settled(memory, now, 'its strategy is not Reboot', strayKeys(seen));
  const found = caseOf(seen);
  if (found.kind === 'hindered') return settled(memory, now, found.reason, strayKeys(seen));
  const other = precededBy(seen, false);
  if (other !== undefined) return wait(`Metal3Remediation ${other.name} remediates the same Machine`);
  if (found.kind === 'sick' && !found.host.online) return become(memory, 'Failed');
  if (found.kind === 'sick' && found.host.untouched) return wait(`host ${found.host.name} is paused or detached`);
  const record = { phase: 'Running', retryCount: 0, lastRemediated: toSeconds(now) } as const;
  return { kind: 'become', memory: inAttempt(memory, record) };
}

const become = (memory: RemediationMemory, phase: RemediationPhase): RemediationStep => ({
  kind: 'become',
  memory: inPhase(memory, phase),
});

function inHand(memory: RemediationMemory, phase: 'Running' | 'Waiting', { now, shown }: Moment): RemediationStep {
  // The status is written first: if the memory is lost, only the status says how far the remediation is.
  if (shown?.finalizer !== true || !same(shown.status, show(memory).status)) return { kind: 'show' };
  if (memory.handedOver) return become(memory, 'Deleting machine');
  const found = caseOf(memory.seen);
  if (found.kind !== 'sick' || !found.host.online) return stopping(memory, found, now);
  return phase === 'Running' ? running(memory, found, now) : waiting(memory, found, now);
}

/** The remediation ends: the annotation that keeps the host off is removed, and nothing else is done. */
function stopping(memory: RemediationMemory, found: Case, now: number): RemediationStep {
  if (found.kind === 'lost') return attempt(memory, now, handOver(memory, found.machine, null));
  const { host } = memory.seen;
  const keys = ownKeys(memory.seen);
  if (host && keys.length > 0) return attempt(memory, now, powerOn(memory, host, keys));
  return found.kind === 'sick' ? become(memory, 'Failed') : wait(found.reason);
}

type Sick = Extract<Case, { kind: 'sick' }>;

function running(memory: RemediationMemory, sick: Sick, now: number): RemediationStep {
  const { seen } = memory;
  if (!sick.host.heldBy.includes(powerOffKey(seen.uid))) {
    const other = precededBy(seen, true);
    if (other !== undefined) return wait(`Metal3Remediation ${other.name} remediates the same Machine`);
    return attempt(memory, now, powerOff(memory, sick));
  }
  if (sick.host.poweredOn) return wait(waitingForPowerOff(sick));
  return freeingNode(memory, sick, now) ?? become(inTime(memory, now), 'Waiting');
}

/** The attempt's time begins again if all of it passed before the host could be powered on. */
function inTime(memory: RemediationMemory, now: number): RemediationMemory {
  if (now < deadlineOf(memory)) return memory;
  return { ...memory, record: { ...memory.record, lastRemediated: toSeconds(now) } };
}

function waiting(memory: RemediationMemory, sick: Sick, now: number): RemediationStep {
  const keys = ownKeys(memory.seen);
  if (keys.length > 0) return attempt(memory, now, powerOn(memory, sick.host, keys));
  return awaitingHealth(memory, sick, now);
}

function waitingForPowerOff({ host: { name, errorMessage, disablePowerOff } }: Sick): string {
  if (disablePowerOff) return `host ${name} is never powered off, because of spec.disablePowerOff`;
  return `waiting until host ${name} is powered off${errorMessage === '' ? '' : `: ${errorMessage}`}`;
}

/** Nothing is left to do but to remove these annotations, so that the host is not kept off. */
function settled(
  memory: RemediationMemory,
  now: number,
  reason: string,
  keys: readonly string[] = ownKeys(memory.seen),
): RemediationStep {
  const { host } = memory.seen;
  return host && keys.length > 0 ? attempt(memory, now, powerOn(memory, host, keys)) : wait(reason);
}

/** A Metal3Remediation that is being deleted: its host is powered on, and the Node gets back what it has lost. */
function leaving(memory: RemediationMemory, now: number): RemediationStep {
  const { seen, record, looked } = memory;
  const keys = ownKeys(seen);
  if (seen.host && keys.length > 0) return attempt(memory, now, powerOn(memory, seen.host, keys));
  const found = caseOf(seen);
  const isBegun = record.phase === 'Running' || record.phase === 'Waiting';
  if (!isBegun || found.kind !== 'sick' || !found.host.online || memory.returned) return { kind: 'gone' };
  // The Metal3Remediation may be deleted long after its attempt began, while its Node is away.
  const deadline = Math.max(
    deadlineOf(memory),
    believed(Date.parse(seen.deletionTimestamp ?? ''), now) + timeoutOf(seen),
  );
  const returning = returningNode(memory, found, now, deadline);
  if (returning !== undefined) return returning;
  const { node } = found.machine;
  const waits = node !== undefined && looked !== null && now < deadline && seen.hasBackup;
  return waits ? wait(`being deleted: waiting until Node ${node} is back`, deadline) : { kind: 'gone' };
}
