import type { Client } from '@temporalio/client';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry } from '../../kube/store.ts';
import type { Log } from '../../platform/log.ts';
import { unpauseCommand } from '../../platform/temporal/paused-run.ts';
import { entityWorkflowId } from '../../workflows/messages.ts';
import type { Binding } from '../binding.ts';
import type { Controllers } from '../controller.ts';
import type { Announce } from '../publish/announce.ts';
import { canPause, describePause, type Pause } from '../signal/runs.ts';

export interface PausedRunsDeps {
  readonly client: Client;
  readonly controllers: Controllers;
  readonly announce: Announce;
  /** Number of objects of the kind with a paused run. */
  readonly onPaused: (kind: string, count: number) => void;
  readonly log: Log;
}

export interface PausedRunsSweep {
  readonly look: () => Promise<void>;
  /** Paused runs that have an Event already. */
  readonly size: number;
}

/** A run of an object, or of an operation on it. */
interface Run {
  readonly workflowId: string;
  readonly runId: string;
}

/** A pause that the object shows as an Event. */
interface Told extends Run {
  readonly binding: Binding;
  readonly entry: Entry;
  readonly id: string;
}

const QUERY = `ExecutionStatus = 'Paused'`;

/** Number of paused runs that get their Event in one sweep. Each costs a request to Temporal, and an Event. */
export const TELLS = 100;

/**
 * Finds runs that somebody has paused with Temporal's own pause, with one query for all kinds and their operations.
 * Such a run takes in no message and answers no query. An Event says so, and the run stays paused until a person ends
 * the pause.
 */
export function createPausedRunsSweep(deps: PausedRunsDeps): PausedRunsSweep {
  const { client, controllers, announce, onPaused, log } = deps;
  /** Reported pauses, by run. */
  let told: ReadonlyMap<string, Told> = new Map();

  /** The paused runs, by the workflow id of their object: the ids of its operations begin with it. */
  const pausedRuns = async (): Promise<ReadonlyMap<string, readonly Run[]>> => {
    const runs = new Map<string, Run[]>();
    for await (const { workflowId, runId } of client.workflow.list({ query: QUERY })) {
      const id = workflowId.split('/', 3).join('/');
      runs.set(id, [...(runs.get(id) ?? []), { workflowId, runId }]);
    }
    return runs;
  };

  const tell = async (binding: Binding, entry: Entry, run: Run): Promise<Told | undefined> => {
    const pause = await describePause(client, run.workflowId, run.runId);
    if (pause === undefined) return undefined;
    const { kind } = binding.followed;
    const { workflowId, runId } = run;
    log.warn({ kind, object: keyOf(entry), workflowId, runId, ...pause }, 'a run was paused in Temporal');
    const id = `${runId}/${pause.at}`;
    const message = wordsOf(kind, run, pause);
    const event = { id: `paused/${id}`, reason: 'WorkflowPaused', message, type: 'Warning' } as const;
    await announce({ binding, object: entry, event });
    return { ...run, binding, entry, id };
  };

  const tellEnd = async ({ binding, entry, workflowId, id }: Told): Promise<void> => {
    const { kind } = binding.followed;
    const message = `The run ${workflowId} is not paused in Temporal any more: the ${kind} goes on`;
    const event = { id: `unpaused/${id}`, reason: 'WorkflowUnpaused', message, type: 'Normal' } as const;
    await announce({ binding, object: entry, event });
  };

  const look = async (): Promise<void> => {
    if (!(await canPause(client))) return;
    const paused = await pausedRuns();
    const next = new Map<string, Told>();
    let left = TELLS;
    for (const { binding, own } of [...controllers.values()].filter(({ isReady }) => isReady())) {
      const { kind } = binding.followed;
      let count = 0;
      for (const entry of paused.size === 0 ? [] : own.values()) {
        const runs = paused.get(entityWorkflowId(kind, entry)) ?? [];
        if (runs.length > 0) count += 1;
        for (const run of runs) {
          const known = told.get(run.runId);
          if (known === undefined && left === 0) continue;
          if (known === undefined) left -= 1;
          const now = known ?? (await tell(binding, entry, run));
          if (now !== undefined) next.set(run.runId, now);
        }
      }
      onPaused(kind, count);
    }
    const ended = [...told].flatMap(([runId, one]) => (next.has(runId) ? [] : [one]));
    told = next;
    for (const one of ended) {
      const isThere = controllers.get(one.binding.followed.kind)?.own.get(keyOf(one.entry))?.uid === one.entry.uid;
      if (isThere) await tellEnd(one);
    }
  };
  return {
    look,
    get size() {
      return told.size;
    },
  };
}

const wordsOf = (kind: string, { workflowId }: Run, { by, reason }: Pause): string =>
  `The run ${workflowId} was paused in Temporal${by === '' ? '' : ` by ${by}`}${reason === '' ? '' : `: ${reason}`}. ` +
  `Nothing is done for the ${kind} meanwhile, and its status may be outdated. It goes on after: ` +
  unpauseCommand(workflowId);
