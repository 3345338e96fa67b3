import type { Client } from '@temporalio/client';
import { livePollers } from '../../platform/temporal/live-pollers.ts';
import { processIn } from '../../platform/temporal/worker-identity.ts';
import { BRIDGE_TASK_QUEUE, TASK_QUEUE } from '../../workflows/messages.ts';

/** The names of processes by their version. */
export interface Processes {
  readonly bridge: ReadonlyMap<string, readonly string[]>;
  readonly workers: ReadonlyMap<string, readonly string[]>;
}

interface TemporalVersions {
  readonly version: string;
  readonly where: string;
  /** The processes of Temper that wait for tasks now. A bridge does so while it holds the Lease. */
  readonly processes: Processes;
}

export async function temporalVersions(client: Client): Promise<TemporalVersions> {
  const [{ serverVersion }, bridge, workers] = await Promise.all([
    client.workflowService.getSystemInfo({}),
    livePollers(client, BRIDGE_TASK_QUEUE, 'activities'),
    livePollers(client, TASK_QUEUE),
  ]);
  return {
    version: serverVersion || 'unknown',
    where: `Temporal namespace ${client.options.namespace}`,
    processes: { bridge: byVersion(bridge), workers: byVersion(workers) },
  };
}

function byVersion(pollers: Awaited<ReturnType<typeof livePollers>>): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const { identity } of pollers) {
    const { process, version } = processIn(identity ?? '') ?? { process: identity ?? '', version: 'unknown' };
    found.set(version, (found.get(version) ?? new Set()).add(process));
  }
  return new Map([...found].map(([version, names]) => [version, [...names]]));
}
