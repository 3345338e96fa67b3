import { checkedWrites } from '../../kube/checked-writes.ts';
import type { Kube } from '../../kube/client.ts';
import type { Restores } from './renewals.ts';

/** A restore of etcd from a backup, which ends the bridge: what it remembers is not what the API server has. */
export interface Restore {
  /** Aborted when a restore was noticed: nothing is written any more. */
  readonly noticed: AbortSignal;
  /** Versions of objects have shown a restore. */
  readonly notice: () => void;
  /** The bridge before this one has ended because of a restore. */
  readonly isPast: boolean;
  /** Checks whether the Lease shows a restore. Never rejects. */
  readonly look: () => Promise<void>;
  /** `look` notices each restore of a backup that is older than this version; undefined: none. */
  readonly renewedAt: () => string | undefined;
}

/** The API server as a bridge writes to it: after a restore was noticed, every write is refused. */
export const untilRestored = (kube: Kube, { noticed }: Pick<Restore, 'noticed'>): Kube =>
  checkedWrites(kube, () => noticed.throwIfAborted());

/** `restores`: of the Lease; absent: only versions show a restore. */
export function createRestore(restores?: Restores, isPast = false): Restore {
  const noticing = new AbortController();
  const abort = (): void => noticing.abort(new Error('etcd was restored from a backup: nothing is written any more'));
  restores?.onNoticed(abort);
  return {
    noticed: noticing.signal,
    isPast,
    notice() {
      restores?.noticedByOthers();
      abort();
    },
    look: async () => restores?.look(),
    renewedAt: () => restores?.renewedAt(),
  };
}
