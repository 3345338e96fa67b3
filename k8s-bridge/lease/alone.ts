import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../platform/log.ts';
import { type LeaseRef, readLease, takeLease } from './lease.ts';
import { createRenewals, type Restores } from './renewals.ts';

/**
 * Runs a bridge that does not compete for a Lease. It renews a Lease of its own, only to notice a restore of etcd.
 * Without the right to renew it, the bridge works as well. Several such bridges may renew the same Lease.
 */
export async function runAlone(
  options: LeaseRef & { readonly log: Log },
  work: (signal: AbortSignal, restores: Restores) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { log, name, identity, retrySeconds } = options;
  const renewals = createRenewals({ identity, readLease: () => readLease(options), log });
  const ended = new AbortController();
  const ending = AbortSignal.any([signal, ended.signal]);

  const renew = async (): Promise<void> => {
    let isFailing = false;
    while (!ending.aborted) {
      try {
        const current = await renewals.read();
        const renewed = await takeLease(options, current);
        if (renewed !== undefined) renewals.accepted(renewed);
        isFailing = false;
      } catch (error) {
        if (!isFailing && !ending.aborted) log.warn({ lease: name, err: error }, 'the Lease could not be renewed');
        isFailing = true;
      }
      await sleep(retrySeconds * 1000, undefined, { signal: ending }).catch(() => undefined);
    }
  };

  await Promise.all([work(signal, renewals).finally(() => ended.abort()), renew()]);
}
