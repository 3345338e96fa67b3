import type { Json } from '../../../kube/merge-patch.ts';
import { awaitsEcho } from '../../ledger.ts';

/** The count that we wrote last. */
export interface FailCountWritten {
  readonly resourceVersion: string;
  readonly at: number;
  /** status.provisioningFailCount in the workflow's view. */
  readonly failCount: number;
  /** The same count of a status write that is running. */
  readonly coming?: number | undefined;
}

/**
 * The failure count of deployments, when another client has overwritten ours: this is how a person allows further
 * attempts. No other status field is read from other clients.
 */
export function failCountWritten(
  seen: { readonly status: Json; readonly resourceVersion: string },
  written: FailCountWritten | undefined,
  now: number,
): number | undefined {
  if (written === undefined || awaitsEcho(seen, written, now)) return undefined;
  const count = seen.status['provisioningFailCount'];
  const isCount = typeof count === 'number' && Number.isInteger(count) && count >= 0;
  return isCount && count !== written.failCount && count !== written.coming ? count : undefined;
}
