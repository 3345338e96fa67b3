import { pausedInWords } from '../../domain/entity/paused-run.ts';
import { readObject } from '../../kube/objects/any-object.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry } from '../../kube/store.ts';
import { describePause } from '../../platform/temporal/paused-run.ts';
import { entityWorkflowId } from '../../workflows/messages.ts';
import type { Around } from '../around.ts';
import type { Binding } from '../binding.ts';
import type { Controllers } from '../controller.ts';
import type { Ledger } from '../ledger.ts';
import type { Announce } from '../publish/announce.ts';
import { hidesNewSpec, type MarkCondition, pausedMark } from '../publish/mark-condition.ts';
import { canPause, type RunRef, runsByObject } from '../signal/runs.ts';

export interface PausedRunsDeps extends Pick<Around, 'client' | 'log'> {
  /** How people call Temporal's command line. */
  readonly temporalCommand: string;
  readonly controllers: Controllers;
  readonly ledger: Pick<Ledger, 'of' | 'find'>;
  readonly announce: Announce;
  readonly markCondition: MarkCondition;
  /** Queues the object, whose run is then asked for what it shows. */
  readonly repair: (kind: string, key: string) => void;
  /** Number of objects of the kind with a paused run. */
  readonly onPaused: (kind: string, count: number) => void;
}

export interface PausedRunsSweep {
  readonly look: () => Promise<void>;
  /** Paused runs that have an Event already. */
  readonly size: number;
}

/** A pause that the object shows. */
interface Reported extends RunRef {
  readonly binding: Binding;
  readonly entry: Entry;
  readonly id: string;
  readonly message: string;
}

const QUERY = `ExecutionStatus = 'Paused'`;

/** Number of paused runs that get their Event in one sweep. Each costs a request to Temporal, and an Event. */
export const REPORTS = 100;

/**
 * Finds runs that somebody has paused with Temporal's own pause, with one query for all kinds and their operations.
 * Such a run takes in no message and answers no query. An Event and a condition say so, and the run stays paused until
 * a person ends the pause.
 */
export function createPausedRunsSweep(deps: PausedRunsDeps): PausedRunsSweep {
  const { client, temporalCommand, controllers, ledger, announce, markCondition, repair, onPaused, log } = deps;
  /** Reported pauses, by run. */
  let reported: ReadonlyMap<string, Reported> = new Map();

  /** Such an object has the Event OtherOperator, and goes on only when that operator has ended. */
  const isLeftToOther = ({ uid }: Entry): boolean => ledger.find(uid)?.leftAlone !== undefined;

  const report = async (binding: Binding, entry: Entry, run: RunRef): Promise<Reported | undefined> => {
    const pause = await describePause(client, run.workflowId, run.runId);
    if (pause === undefined) return undefined;
    const { kind } = binding.followed;
    const { workflowId, runId } = run;
    log.warn({ kind, object: keyOf(entry), workflowId, runId, ...pause }, 'a run was paused in Temporal');
    const id = `${runId}/${pause.at}`;
    const message = pausedInWords(kind, workflowId, pause, temporalCommand);
    const event = { id: `paused/${id}`, reason: 'WorkflowPaused', message, type: 'Warning' } as const;
    await announce({ binding, object: entry, event });
    return { ...run, binding, entry, id, message };
  };

  /**
   * False: somebody else wrote at the same time, the object is left alone, or the write was refused. The next look tries
   * again.
   */
  const isMarked = (binding: Binding, entry: Entry, message: string): Promise<boolean> =>
    markCondition(binding, entry, pausedMark(binding.followed.kind, message)).catch((error: unknown) => {
      const { kind } = binding.followed;
      log.warn({ kind, object: keyOf(entry), err: error }, 'the pause of a run could not be shown on its object');
      return false;
    });

  /** Shows the pause on the object, or that nothing is paused any more: then its run says what it waits for. */
  const show = async (binding: Binding, entry: Entry, message: string): Promise<void> => {
    const known = ledger.of(entry.uid);
    const isShown = known.paused === message && (message === '' || !hidesNewSpec(binding, readObject(entry.object)));
    if (isShown || (message !== '' && binding.isLeftAlone?.(entry))) return;
    known.paused = message;
    if (message === '') repair(binding.followed.kind, keyOf(entry));
    else if (!(await isMarked(binding, entry, message))) known.paused = '';
  };

  const reportEnd = async ({ binding, entry, workflowId, id }: Reported): Promise<void> => {
    const { kind } = binding.followed;
    const message = `The run ${workflowId} is not paused in Temporal any more: the ${kind} goes on`;
    const event = { id: `unpaused/${id}`, reason: 'WorkflowUnpaused', message, type: 'Normal' } as const;
    await announce({ binding, object: entry, event });
  };

  const look = async (): Promise<void> => {
    if (!(await canPause(client))) return;
    const paused = await runsByObject(client, QUERY);
    const next = new Map<string, Reported>();
    let left = REPORTS;
    for (const { binding, own } of [...controllers.values()].filter(({ isReady }) => isReady())) {
      const { kind } = binding.followed;
      let count = 0;
      for (const entry of paused.size === 0 ? [] : own.values()) {
        const id = entityWorkflowId(kind, entry);
        const runs = paused.get(id) ?? [];
        if (runs.length > 0) count += 1;
        const shown: Reported[] = [];
        for (const run of runs) {
          const known = reported.get(run.runId);
          if (known === undefined && (left === 0 || isLeftToOther(entry))) continue;
          if (known === undefined) left -= 1;
          const now = known ?? (await report(binding, entry, run));
          if (now === undefined) continue;
          next.set(run.runId, now);
          shown.push(now);
        }
        const worst = shown.find(({ workflowId }) => workflowId === id) ?? shown[0];
        if (worst !== undefined) await show(binding, entry, worst.message);
      }
      onPaused(kind, count);
    }
    const ended = [...reported].flatMap(([runId, one]) => (next.has(runId) ? [] : [one]));
    reported = next;
    for (const one of ended) {
      const { binding, entry } = one;
      const present = controllers.get(binding.followed.kind)?.own.get(keyOf(entry));
      if (present?.uid !== entry.uid) continue;
      if (!isLeftToOther(present)) await reportEnd(one);
      const isPaused = [...next.values()].some((other) => other.entry.uid === entry.uid);
      if (!isPaused) await show(binding, present, '');
    }
  };
  return {
    look,
    get size() {
      return reported.size;
    },
  };
}
