import { toSeconds } from '../entity/conditions.ts';
import { wait } from '../entity/retry.ts';
import { deadlineOf, inAttempt, type RemediationMemory } from './memory.ts';
import { handOver, nodeOrder } from './orders.ts';
import type { SickHost } from './sick-host.ts';
import type { SickMachine } from './snapshot.ts';
import type { RemediationStep } from './step.ts';
import { attempt } from './waits.ts';

interface Sick {
  readonly machine: SickMachine;
  readonly host: SickHost;
}

/** After the host was powered on: the Node gets its labels back, then the machine has time to become healthy. */
export function awaitingHealth(memory: RemediationMemory, sick: Sick, now: number): RemediationStep {
  const { machine, host } = sick;
  const deadline = deadlineOf(memory);
  const isLate = now >= deadline;
  const returning = host.poweredOn ? returningNode(memory, sick, now, deadline) : undefined;
  if (returning !== undefined) return returning;
  if (!isLate) return wait(reasonOf(memory, sick), deadline);
  if (machine.healthy) return wait(`Machine ${machine.name} is healthy: waiting until its health check deletes this`);
  const { retryCount } = memory.record;
  if (retryCount >= (memory.seen.strategy?.retryLimit ?? 0)) {
    return attempt(memory, now, handOver(memory, machine, host));
  }
  const record = { phase: 'Running', retryCount: retryCount + 1, lastRemediated: toSeconds(now) } as const;
  return { kind: 'become', memory: inAttempt(memory, record) };
}

/** Looks for the Node when Cluster API has news of it, and at the end. */
export function returningNode(
  memory: RemediationMemory,
  sick: Sick,
  now: number,
  deadline: number,
): RemediationStep | undefined {
  const { looked, returned, trouble } = memory;
  const order = nodeOrder(memory, sick);
  if (order === undefined || returned) return undefined;
  const wasLast = looked !== null && looked.at >= deadline;
  const news = sick.machine.nodeNews;
  const isLooked = trouble === null && looked?.news === news && now < deadline;
  if (isLooked || wasLast) return undefined;
  return attempt(memory, now, { name: 'return node', order, news, at: now, deadline }, deadline);
}

function reasonOf({ returned }: RemediationMemory, { machine, host }: Sick): string {
  if (!host.poweredOn) return `waiting until host ${host.name} is powered on`;
  if (machine.node !== undefined && !returned) return `waiting until Node ${machine.node} is back`;
  return `waiting until Machine ${machine.name} is healthy`;
}
