import type { Log } from '../../platform/log.ts';
import { type Lease, renewalOf } from './lease.ts';

/** Notices that etcd was restored from a backup. */
export interface Restores {
  /** Reads the Lease now. Never rejects: the next renewal reads it again. */
  look(): Promise<void>;
  /**
   * The version of the last renewal that the API server has accepted: `look` notices each restore of a backup that is
   * older. undefined: none was accepted yet, or none since a restore.
   */
  renewedAt(): string | undefined;
  /** Called at each restore. Replaces the former listener. */
  onNoticed(listener: () => void): void;
  /**
   * Called when another part has noticed a restore: until the next renewal, an older Lease shows the same restore, not
   * a new one.
   */
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
  readonly identity: string;
  /** The Lease as this bridge has written it when it took it. */
  readonly taken?: Lease;
  readonly readLease: () => Promise<Lease | undefined>;
  readonly log: Log;
}

/**
 * Detects a restore of etcd: afterwards, the Lease lacks the last renewal that the API server had accepted. Versions of
 * other objects prove less, because other clients may have written them since. Other bridges may renew the same Lease,
 * so each bridge has a number of its own in it.
 */
export function createRenewals({ identity, taken, readLease, log }: RenewalsOptions): Renewals {
  const renewalIn = (lease: Lease) => ({
    number: renewalOf(lease, identity) ?? 0,
    version: lease.metadata.resourceVersion,
  });
  /** undefined until the first renewal, and from a restore to the next one. */
  let last = taken && renewalIn(taken);
  let notify = (): void => undefined;
  let isFailing = false;

  const read = async (): Promise<Lease | undefined> => {
    const before = last;
    const lease = await readLease();
    const isLost = before !== undefined && (renewalOf(lease, identity) ?? 0) < before.number;
    // If `last` has changed, the Lease was renewed meanwhile, or the same restore was noticed already.
    if (isLost && last === before) {
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
  /** The running look. Watches that were cut at the same time, and writes, share it. */
  let looking: Promise<void> | undefined;

  return {
    accepted: (lease) => void (last = renewalIn(lease)),
    read,
    async look() {
      if (last === undefined) return;
      looking ??= readUnlessFailing().finally(() => (looking = undefined));
      await looking;
    },
    renewedAt: () => last?.version,
    onNoticed: (listener) => void (notify = listener),
    noticedByOthers: () => void (last = undefined),
  };
}
