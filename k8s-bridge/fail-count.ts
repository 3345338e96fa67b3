import type { Json } from '../kube/merge-patch.ts';
import { isOlderVersion } from '../kube/reflector.ts';
import type { Written } from './ledger.ts';

/**
 * The count of failed deployments, when somebody else wrote it over ours: it is how a person allows further attempts.
 * Of the status nothing else is taken from others.
 */
export function failCountWritten(
  { status, resourceVersion }: { readonly status: Json; readonly resourceVersion: string },
  written: Written | undefined,
): number | undefined {
  if (written === undefined || isOlderVersion(resourceVersion, written.resourceVersion)) return undefined;
  const count = status['provisioningFailCount'];
  const isCount = typeof count === 'number' && Number.isInteger(count) && count >= 0;
  return isCount && count !== written.failCount && count !== written.coming ? count : undefined;
}
