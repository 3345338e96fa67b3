import type { Shown } from '../entity/view.ts';
import type { RemediationMemory } from './memory.ts';

/** A remediation that has not begun is not changed. */
export function show({ seen, record }: RemediationMemory): Shown {
  const { phase, retryCount, lastRemediated } = record;
  if (phase === undefined) return {};
  return {
    // clusterctl removes it from a paused object.
    ...(!seen.paused && { finalizer: true }),
    state: phase,
    status: { phase, ...(retryCount > 0 && { retryCount }), ...(lastRemediated !== '' && { lastRemediated }) },
  };
}
