import { isOlderVersion } from '../../kube/reflector.ts';
import type { Written } from '../ledger.ts';

/** So long (ms) the watch may take to show us what we wrote. After that an older version is a fact: the API server was set back. */
export const ECHO_MS = 10_000;

/** True when an object is seen as it was before we wrote to it, because the watch has not caught up yet. */
export const awaitsEcho = (
  { resourceVersion }: { readonly resourceVersion: string },
  written: Pick<Written, 'resourceVersion' | 'at'> | undefined,
  now: number,
): boolean =>
  written !== undefined && now - written.at < ECHO_MS && isOlderVersion(resourceVersion, written.resourceVersion);
