import { ageOf } from '../clock.ts';
import { deadlineOf, type RemediationMemory } from './memory.ts';
import { nodeOrder } from './orders.ts';
import type { SickHost } from './sick-host.ts';
import type { SickMachine } from './snapshot.ts';
import type { RemediationStep } from './step.ts';
import { attempt } from './waits.ts';

/**
 * How long a host stays off because its Node can't be reached: the API server may run on this very host. In ms.
 */
export const PATIENCE_MS = 60_000;

/**
 * The next step for the Node while the host is off. undefined: nothing is left to do, and the host may be powered on.
 */
export function freeingNode(
  memory: RemediationMemory,
  sick: { readonly machine: SickMachine; readonly host: SickHost },
  now: number,
): RemediationStep | undefined {
  const { node, trouble } = memory;
  const order = nodeOrder(memory, sick);
  if (order === undefined || node === 'freed' || node === 'left') return undefined;
  if (trouble !== null && ageOf(trouble.since, now) >= PATIENCE_MS) return undefined;
  const until = Math.max(deadlineOf(memory), now + PATIENCE_MS);
  if (node === 'draining') return { kind: 'act', action: { name: 'await drain', order, until } };
  return attempt(memory, now, { name: 'free node', order }, trouble === null ? undefined : trouble.since + PATIENCE_MS);
}
