import { isOlderVersion } from '../../kube/reflector.ts';
import type { Written } from '../ledger.ts';

/**
 * Maximum delay (ms) of the watch after our write. An older version after that means that the API server was restored
 * from a backup.
 */
export const ECHO_MS = 10_000;

/** True while the watch has not delivered our last write. */
export const awaitsEcho = (
  { resourceVersion }: { readonly resourceVersion: string },
  written: Pick<Written, 'resourceVersion' | 'at'> | undefined,
  now: number,
): boolean =>
  written !== undefined && now - written.at < ECHO_MS && isOlderVersion(resourceVersion, written.resourceVersion);
