import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../platform/log.ts';
import { type LeaseRef, readLease, takeLease } from './lease.ts';
import { createRenewals, type Restores } from './renewals.ts';

/**
 * Runs a bridge that does not compete for a Lease. It renews one of its own, which decides nothing: a restore of etcd is
 * noticed by it. Without the right to do that, the bridge works all the same. Several bridges alone may renew the same
 * Lease.
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
