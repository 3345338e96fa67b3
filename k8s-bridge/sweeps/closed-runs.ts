import type { Client } from '@temporalio/client';
import type { Controllers } from '../controller.ts';
import type { Revive } from './revive.ts';

export interface ClosedRunsDeps {
  readonly client: Pick<Client, 'workflow'>;
  readonly controllers: Controllers;
  readonly revive: Revive;
  /** ms since the epoch. */
  readonly now: () => number;
}

export interface ClosedRunsSweep {
  readonly look: () => Promise<void>;
  /** Runs that were handled within the last minutes. */
  readonly size: number;
}

/**
 * Runs that closed up to this time before the last sweep are listed again: visibility lags behind, and clocks differ.
 */
const OVERLAP_MS = 5 * 60_000;

/**
 * Finds runs that were closed by others, with one query for all kinds, and starts the workflow again when the object
 * still exists. A run that continued as new does not count as closed.
 */
export function createClosedRunsSweep({ client, controllers, revive, now }: ClosedRunsDeps): ClosedRunsSweep {
  /** Handled runs, with the time at which they closed. */
  const dealtWith = new Map<string, number>();
  let lookedAt = now();

  const look = async (): Promise<void> => {
    const began = now();
    // The clock may have been ahead at the last look.
    const since = Math.min(lookedAt, began) - OVERLAP_MS;
    for (const [runId, closedAt] of dealtWith) if (closedAt < since) dealtWith.delete(runId);
    const ready = [...controllers.values()].filter(({ isReady }) => isReady());
    const kindOf = new Map(ready.map(({ binding }) => [binding.followed.kind.toLowerCase(), binding.followed.kind]));
    const types = ready.map(({ binding }) => `'${binding.followed.workflow.type}'`).join(', ');
    if (ready.length === 0) return;
    const query =
      `WorkflowType IN (${types}) AND ExecutionStatus != 'Running' AND ExecutionStatus != 'ContinuedAsNew' ` +
      `AND CloseTime >= '${new Date(since).toISOString()}'`;
    const failures: unknown[] = [];
    for await (const { workflowId, runId, closeTime } of client.workflow.list({ query })) {
      if (dealtWith.has(runId)) continue;
      const [prefix = '', ...rest] = workflowId.split('/');
      const kind = kindOf.get(prefix);
      try {
        if (kind !== undefined) await revive(kind, rest.join('/'), { runId });
        dealtWith.set(runId, closeTime?.getTime() ?? began);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'some workflows could not be started again');
    lookedAt = began;
  };
  return {
    look,
    get size() {
      return dealtWith.size;
    },
  };
}
