import type { Client } from '@temporalio/client';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry } from '../../kube/store.ts';
import type { Log } from '../../platform/log.ts';
import { entityWorkflowId } from '../../workflows/messages.ts';
import type { Binding } from '../binding.ts';
import type { Controllers } from '../controller.ts';
import type { Ledger } from '../ledger.ts';
import type { Announce } from '../publish/announce.ts';
import type { MarkFailing } from '../publish/mark-failing.ts';
import { describeRun, lastTaskFailure, type TaskFailure, type WorkflowRun } from '../signal/runs.ts';

export interface FailingTasksDeps {
  readonly client: Client;
  readonly controllers: Controllers;
  readonly ledger: Ledger;
  readonly announce: Announce;
  readonly markFailing: MarkFailing;
  /** Number of objects of the kind whose workflow task keeps failing. */
  readonly onFailing: (kind: string, count: number) => void;
  readonly log: Log;
  /** ms since the epoch. */
  readonly now: () => number;
}

/** A run that has published nothing for this time (ms) after a signal is checked. */
const PATIENCE_MS = 60_000;
/** Temporal retries a failing task with growing pauses: the third attempt begins after about ten seconds. */
const ATTEMPTS = 3;
/**
 * A history that could not be replayed in more than a minute will not be: the run is ended, and begins again from its
 * object. Fewer attempts might all come to workers of an old version during an upgrade.
 */
const ATTEMPTS_TO_REPLAY = 5;
/** Runs described per sweep: suspects, and of the others a few in turn. */
const SUSPECTS = 100;
const OTHERS = 20;

/**
 * Finds runs whose workflow task keeps failing, which is visible in Temporal only. Before 1.30 its server has no search
 * attribute for that, so runs are described one by one: those that published nothing after a signal, and a few others
 * in turn.
 */
export function createFailingTasksSweep(deps: FailingTasksDeps): () => Promise<void> {
  const { client, controllers, ledger, announce, markFailing, onFailing, log, now } = deps;
  let turn = 0;

  const failureOf = async (workflowId: string, run: WorkflowRun | undefined): Promise<TaskFailure | undefined> => {
    const isRetried = run?.status === 'RUNNING' && run.taskAttempts >= ATTEMPTS;
    return isRetried ? lastTaskFailure(client, workflowId, run.runId) : undefined;
  };

  /** An object waits for its operations, so their failures are its own. */
  const failureOfOperations = async ({ children }: WorkflowRun): Promise<string | undefined> => {
    for (const { workflowId, runId } of children) {
      const failure = await failureOf(workflowId, await describeRun(client, workflowId, runId));
      if (failure !== undefined) return `${workflowId}: ${failure.message}`;
    }
    return undefined;
  };

  const look = async (binding: Binding, entry: Entry): Promise<void> => {
    const known = ledger.of(entry.uid);
    const id = entityWorkflowId(binding.followed.kind, entry);
    const run = await describeRun(client, id);
    const own = await failureOf(id, run);
    const cause = own?.message ?? (run === undefined ? undefined : await failureOfOperations(run));
    const { kind } = binding.followed;
    const failure =
      cause === undefined
        ? ''
        : `The ${kind}'s workflow keeps failing. Nothing is done for the ${kind} until the cause is fixed: ${cause}`;
    if (known.signalled !== undefined) known.signalled = { ...known.signalled, heard: true };
    if (failure !== '' && known.failing === '') {
      log.error({ kind, object: keyOf(entry), runId: run?.runId, failure: cause }, 'a workflow task keeps failing');
      const id = `failing/${run?.runId ?? ''}`;
      const event = { id, reason: 'WorkflowTaskFailing', message: failure, type: 'Warning' } as const;
      await announce({ binding, object: entry, event });
    }
    known.failing = failure;
    if (own?.isNondeterministic && run !== undefined && run.taskAttempts >= ATTEMPTS_TO_REPLAY) {
      log.error({ kind, object: keyOf(entry), runId: run.runId }, 'a run that can not be replayed is ended');
      await client.workflow.getHandle(id, run.runId).terminate('its history can not be replayed: it begins again');
    }
    if (!binding.isLeftAlone?.(entry)) await markFailing(binding, entry, failure);
  };

  return async () => {
    const all = [...controllers.values()]
      .filter(({ isReady }) => isReady())
      .flatMap(({ binding, own }) => [...own.values()].map((entry) => ({ binding, entry })));
    const isSuspect = ({ entry }: (typeof all)[number]): boolean => {
      const { signalled, failing = '' } = ledger.find(entry.uid) ?? {};
      return failing !== '' || (signalled !== undefined && !signalled.heard && now() - signalled.at > PATIENCE_MS);
    };
    const suspects = all.filter(isSuspect).slice(0, SUSPECTS);
    const others = all.slice(turn, turn + OTHERS);
    turn = turn + OTHERS < all.length ? turn + OTHERS : 0;
    for (const { binding, entry } of new Set([...suspects, ...others])) {
      // A failure for one object does not end the sweep.
      await look(binding, entry).catch((error: unknown) =>
        log.warn(
          { kind: binding.followed.kind, object: keyOf(entry), err: error },
          'the workflow task of an object could not be checked',
        ),
      );
    }
    for (const { binding } of controllers.values()) {
      const { kind } = binding.followed;
      onFailing(
        kind,
        all.filter((one) => one.binding === binding && (ledger.find(one.entry.uid)?.failing ?? '') !== '').length,
      );
    }
  };
}
