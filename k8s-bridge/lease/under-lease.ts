import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../platform/log.ts';
import { type Lease, type LeaseRef, readLease, releaseLease, takeLease } from './lease.ts';
import { createRenewals, type Restores } from './renewals.ts';
import type { Role } from './role.ts';

export interface LeaseOptions extends LeaseRef {
  readonly renewDeadlineSeconds: number;
  readonly log: Log;
  /** Called at the start, and after each look at the Lease. */
  readonly onRole: (role: Role) => void;
}

/** The work of the leader. With `restores` it can check whether etcd was restored. */
type Lead = (signal: AbortSignal, restores: Restores) => Promise<void>;

/**
 * Runs `lead` while we hold the Lease, again and again until aborted. Its signal aborts when the Lease could not be
 * renewed in time. A holder is considered dead when its Lease has not changed for its duration by our own clock: clocks
 * are not compared.
 */
export async function runUnderLease(options: LeaseOptions, lead: Lead, signal: AbortSignal): Promise<void> {
  const { identity, retrySeconds, log, onRole } = options;
  onRole('starting');
  let seen: { readonly version: string; readonly at: number } | undefined;
  while (!signal.aborted) {
    try {
      const current = await readLease(options);
      if (current !== undefined && current.metadata.resourceVersion !== seen?.version) {
        seen = { version: current.metadata.resourceVersion, at: performance.now() };
      }
      const taken = isFree(current, seen?.at ?? 0, identity) ? await takeLease(options, current) : undefined;
      if (taken === undefined) onRole('standby');
      else {
        log.info({ lease: options.name, identity }, 'this bridge holds the Lease');
        onRole('leader');
        await leadAndRenew(options, taken, lead, signal).finally(() => onRole('standby'));
        log.info({ lease: options.name, identity }, 'this bridge no longer holds the Lease');
      }
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ lease: options.name, err: error }, 'the Lease could not be acquired');
    }
    await sleep(retrySeconds * 1000 * (1 + Math.random() / 5), undefined, { signal }).catch(() => undefined);
  }
}

async function leadAndRenew(options: LeaseOptions, taken: Lease, lead: Lead, signal: AbortSignal): Promise<void> {
  const renewals = createRenewals({
    identity: options.identity,
    taken,
    readLease: () => readLease(options),
    log: options.log,
  });
  const lost = new AbortController();
  const ending = AbortSignal.any([signal, lost.signal]);
  const leading = lead(ending, renewals).finally(() => lost.abort());
  // Awaited below; until then it must not count as unhandled.
  leading.catch(() => undefined);
  let renewedAt = performance.now();
  while (!ending.aborted) {
    await sleep(options.retrySeconds * 1000, undefined, { signal: ending }).catch(() => undefined);
    if (ending.aborted) break;
    try {
      const current = await renewals.read();
      if (current?.spec.holderIdentity !== options.identity) break;
      const renewed = await takeLease(options, current);
      if (renewed !== undefined) {
        renewals.accepted(renewed);
        renewedAt = performance.now();
      }
    } catch (error) {
      options.log.warn({ lease: options.name, err: error }, 'the Lease could not be renewed');
    }
    if (performance.now() - renewedAt > options.renewDeadlineSeconds * 1000) break;
  }
  lost.abort();
  try {
    await leading;
  } finally {
    await releaseLease(options).catch(() => undefined);
  }
}

function isFree(current: Lease | undefined, unchangedSince: number, identity: string): boolean {
  const holder = current?.spec.holderIdentity;
  if (!holder || holder === identity) return true;
  return performance.now() - unchangedSince > (current?.spec.leaseDurationSeconds ?? 0) * 1000;
}
