import type { ProvisioningState } from '../../../api/baremetalhost/values.ts';
import { traitsOf } from '../../states/table.ts';
import type { HistoryKey } from '../../states/traits.ts';
import { wantedBootMode } from '../desired/wishes.ts';
import type { HostRecord } from '../memory/host-record.ts';
import { type HostMemory, withStatus } from '../memory/memory.ts';
import type { HostStep } from '../step.ts';

const rfc3339 = (now: number): string => `${new Date(now).toISOString().slice(0, 19)}Z`;

/** Opens an entry of operationHistory unless it is open. */
export function historyBegins(memory: HostMemory, key: HistoryKey, now: number): HostMemory {
  const entry = memory.status.operationHistory[key];
  if (entry?.start && !entry.end) return memory;
  return withStatus(memory, {
    operationHistory: { ...memory.status.operationHistory, [key]: { start: rfc3339(now), end: null } },
  });
}

/** Closes an open entry of operationHistory. */
export function historyEnds(memory: HostMemory, key: HistoryKey, now: number): HostMemory {
  const entry = memory.status.operationHistory[key];
  if (!entry?.start || entry.end) return memory;
  return withStatus(memory, {
    operationHistory: { ...memory.status.operationHistory, [key]: { start: entry.start, end: rfc3339(now) } },
  });
}

/** Changes to another state and records history, boot mode and the related status fields. */
export function enter(
  memory: HostMemory,
  state: ProvisioningState,
  now: number,
  change: Partial<HostRecord> = {},
): HostStep & { readonly kind: 'become' } {
  const { history: left } = traitsOf(memory.status.provisioning.state);
  const { history: begun, node } = traitsOf(state);
  let next = left === null ? memory : historyEnds(memory, left, now);
  if (begun !== null) next = historyBegins(next, begun, now);
  next = withStatus(next, {
    ...change,
    provisioning: {
      ...(change.provisioning ?? next.status.provisioning),
      state,
      ...(node.setsBootMode && { bootMode: wantedBootMode(next) }),
    },
  });
  const { isOffAssumed: _, ...entered } = next;
  return {
    kind: 'become',
    state,
    memory: { ...entered, finished: null, attempted: null, retry: null, stateSince: now },
  };
}

/** Removes the error from the status; the failure count is kept, because only other code resets it. */
export function errorCleared(memory: HostMemory): HostMemory {
  if (memory.status.operationalStatus === 'OK' && memory.status.errorType === undefined) return memory;
  const { errorType: _, ...status } = memory.status;
  return { ...memory, status: { ...status, operationalStatus: 'OK', errorMessage: '' } };
}
