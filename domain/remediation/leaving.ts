import { believed } from '../clock.ts';
import { wait } from '../entity/retry.ts';
import { deadlineOf, type RemediationMemory, timeoutOf } from './memory.ts';
import { caseOf, ownKeys } from './obstacles.ts';
import { powerOn } from './orders.ts';
import type { RemediationStep } from './step.ts';
import { returningNode } from './wait-for-health.ts';
import { attempt } from './waits.ts';

/** A Metal3Remediation that is being deleted: its host is powered on, and the Node gets back what it has lost. */
export function leaving(memory: RemediationMemory, now: number): RemediationStep {
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
