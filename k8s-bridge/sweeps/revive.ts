import { readObject } from '../../kube/objects/any-object.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry } from '../../kube/store.ts';
import { entityWorkflowId, type ReviveActivities } from '../../workflows/messages.ts';
import type { Around } from '../around.ts';
import type { Binding } from '../binding.ts';
import type { Controllers } from '../controller.ts';
import type { Announce } from '../publish/announce.ts';
import { describeRun, type WorkflowRun } from '../signal/runs.ts';

export interface ReviveDeps extends Pick<Around, 'client' | 'ledger' | 'log'> {
  readonly controllers: Controllers;
  readonly announce: Announce;
  /** A closed run was started again. */
  readonly onRestarted: (kind: string, ended: string) => void;
}

/** Starts an object's workflow again if none runs. `closed` is the run that is known to be closed. */
export type Revive = (kind: string, key: string, closed?: { readonly runId: string }) => Promise<void>;

const ENDINGS: Readonly<Record<string, string>> = {
  TERMINATED: 'was terminated',
  TIMED_OUT: 'timed out',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'was cancelled',
};

export function createRevive({ client, controllers, ledger, announce, onRestarted, log }: ReviveDeps): Revive {
  const restart = async (binding: Binding, entry: Entry, run: WorkflowRun | undefined): Promise<void> => {
    const { kind } = binding.followed;
    const known = ledger.of(entry.uid);
    const { creationTimestamp } = readObject(entry.object).metadata;
    // A run that closed before this object was created belonged to an earlier object of the name.
    const isOurs = run?.closedAt !== undefined && run.closedAt >= Date.parse(creationTimestamp);
    const isLoss = isOurs || known.signalled !== undefined;
    known.signalled = undefined;
    const isBegun = await controllers.get(kind)?.reconciler.inform(entry);
    if (!isBegun || !isLoss) return;
    const ended = run?.status.toLowerCase() ?? 'lost';
    const how = run === undefined ? 'is unknown to Temporal' : (ENDINGS[run.status] ?? `ended as ${run.status}`);
    log.warn({ kind, object: keyOf(entry), ended, runId: run?.runId }, 'workflow was started again');
    onRestarted(kind, ended);
    const message = `The run of the ${kind}'s workflow ${how} while the ${kind} still exists; the workflow is started again from the ${kind}`;
    const event = {
      id: `restarted/${run?.runId ?? ''}`,
      reason: 'WorkflowRestarted',
      message,
      type: 'Warning',
    } as const;
    await announce({ binding, object: entry, event });
  };

  return async (kind, key, closed) => {
    const controller = controllers.get(kind);
    const entry = controller?.own.get(key);
    if (controller === undefined || entry === undefined) return;
    const { binding, queue } = controller;
    const known = ledger.of(entry.uid);
    const { finalizers, deletionTimestamp } = readObject(entry.object).metadata;
    // Nothing remains to be done for the object.
    if (known.written?.letGo || (deletionTimestamp !== undefined && !finalizers.includes(binding.finalizer))) return;
    const id = entityWorkflowId(kind, entry);
    const { signalled } = known;
    const run = await describeRun(client, id);
    // A person has paused the run in Temporal, and has to end the pause.
    if (run?.status === 'PAUSED') return;
    if (run?.status !== 'RUNNING') {
      // A signal that was sent meanwhile has started the workflow.
      if (known.signalled?.order !== signalled?.order) return;
      return restart(binding, entry, run);
    }
    // The running run continues from some point of the closed one: it was reset, and does not know what happened after
    // that point.
    const before = closed && closed.runId !== run.runId ? await describeRun(client, id, closed.runId) : undefined;
    if (before === undefined || before.firstRunId !== run.firstRunId) return;
    log.warn({ kind, object: key, runId: run.runId }, 'run was reset');
    known.anew = { reset: run.runId };
    queue.add(key);
  };
}

/** The activity for workflows that find no run of another object. */
export const createReviveActivities = (revive: Revive): ReviveActivities => ({
  revive: ({ kind, namespace, name }) => revive(kind, keyOf({ namespace, name })),
});
