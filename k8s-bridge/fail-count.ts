import type { Written } from './ledger.ts';
import { isObject } from './status-patch.ts';
import { isOlderVersion } from './versions.ts';
import type { HostEntry } from './watch.ts';

/**
 * The count of failed deployments, when somebody else wrote it over ours: it is how a person allows further attempts.
 * Of the status nothing else is taken from others.
 */
export function failCountWritten(
  { object, resourceVersion }: HostEntry,
  written: Written | undefined,
): number | undefined {
  if (written === undefined || isOlderVersion(resourceVersion, written.resourceVersion)) return undefined;
  const status = isObject(object) ? object['status'] : undefined;
  const count = isObject(status) ? status['provisioningFailCount'] : undefined;
  const isCount = typeof count === 'number' && Number.isInteger(count) && count >= 0;
  return isCount && count !== written.status['provisioningFailCount'] ? count : undefined;
}
