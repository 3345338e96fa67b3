import { setTimeout as sleep } from 'node:timers/promises';
import { isOlderVersion } from '../../kube/reflector.ts';
import type { Log } from '../../platform/log.ts';
import { type Lease, type LeaseRef, readLease, takeLease } from './lease.ts';
import { createRenewals, type Restores } from './renewals.ts';

/**
 * Runs a bridge that does not compete for a Lease. It renews one of its own, which decides nothing: a restore of etcd is
 * noticed by it. Without the right to do that, the bridge works all the same. Where several bridges alone renew the same
 * Lease, one of them may hide a restore from the others: the log says so.
 */
export async function runAlone(
  options: LeaseRef & { readonly log: Log },
  work: (signal: AbortSignal, restores: Restores) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { log, name, identity, retrySeconds } = options;
  const renewals = createRenewals({ readLease: () => readLease(options), log });
  const ended = new AbortController();
  const ending = AbortSignal.any([signal, ended.signal]);

  const renew = async (): Promise<void> => {
    let isFailing = false;
    let isShared = false;
    let last: Lease | undefined;
    while (!ending.aborted) {
      try {
        const current = await renewals.read();
        const holder = current?.spec.holderIdentity;
        if (!isShared && holder !== identity && isRenewed(last, current)) {
          log.warn({ lease: name, holder }, 'another bridge renews this Lease, too, and may hide a restore of etcd');
          isShared = true;
        }
        const renewed = await takeLease(options, current);
        if (renewed !== undefined) {
          renewals.accepted(renewed);
          last = renewed;
        }
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

const isRenewed = (before: Lease | undefined, now: Lease | undefined): boolean =>
  before !== undefined &&
  now !== undefined &&
  isOlderVersion(before.metadata.resourceVersion, now.metadata.resourceVersion);
