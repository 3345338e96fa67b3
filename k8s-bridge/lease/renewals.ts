import { isOlderVersion } from '../../kube/reflector.ts';
import type { Log } from '../../platform/log.ts';
import type { Lease } from './lease.ts';

/** Notices that etcd was restored from a backup. */
export interface Restores {
  /** Reads the Lease now. Never rejects: the next renewal reads it again. */
  look(): Promise<void>;
  /** Called at each restore. Replaces the former listener. */
  onNoticed(listener: () => void): void;
  /** Others have noticed a restore: a Lease from before the next renewal shows this restore, and not another one. */
  noticedByOthers(): void;
}

/** The renewals of a Lease by this bridge. */
interface Renewals extends Restores {
  /** The API server has accepted a renewal. */
  accepted(lease: Lease): void;
  /** The Lease as it is now. Notifies the listener before it resolves. */
  read(): Promise<Lease | undefined>;
}

interface RenewalsOptions {
  /** The Lease as this bridge has taken it, if it has. */
  readonly taken?: Lease;
  readonly readLease: () => Promise<Lease | undefined>;
  readonly log: Log;
}

/**
 * The Lease can't be older than the last renewal that the API server has accepted, unless etcd was restored. Versions of
 * other objects say less: others may have written them since. So does a Lease that another bridge renews, too.
 */
export function createRenewals({ taken, readLease, log }: RenewalsOptions): Renewals {
  const versionOf = (lease: Lease | undefined): string | undefined => lease?.metadata.resourceVersion;
  /** Of the last renewal; undefined until the first one, and from a restore to the next one. */
  let last = versionOf(taken);
  let notify = (): void => undefined;
  let isFailing = false;

  const read = async (): Promise<Lease | undefined> => {
    const before = last;
    const lease = await readLease();
    const now = versionOf(lease);
    const isOlder = before !== undefined && (now === undefined || isOlderVersion(now, before));
    // Otherwise the Lease was renewed meanwhile, or the same restore was noticed.
    if (isOlder && last === before) {
      last = undefined;
      notify();
    }
    return lease;
  };

  const readUnlessFailing = async (): Promise<void> => {
    try {
      await read();
      isFailing = false;
    } catch (error) {
      if (!isFailing) log.warn({ err: error }, 'the Lease could not be read, to see whether etcd was restored');
      isFailing = true;
    }
  };
  /** Watches that were cut at the same time share it. */
  let looking: Promise<void> | undefined;

  return {
    accepted: (lease) => void (last = versionOf(lease)),
    read,
    async look() {
      if (last === undefined) return;
      looking ??= readUnlessFailing().finally(() => (looking = undefined));
      await looking;
    },
    onNoticed: (listener) => void (notify = listener),
    noticedByOthers: () => void (last = undefined),
  };
}
