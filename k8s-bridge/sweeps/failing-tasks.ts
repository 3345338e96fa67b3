import { WORKFLOW_FAILING } from '../../domain/entity/conditions.ts';
import { LOCKS } from '../../domain/lock/policy.ts';
import { isObject } from '../../kube/merge-patch.ts';
import { keyOf, nameOf } from '../../kube/reflector.ts';
import type { Entry, Stores } from '../../kube/store.ts';
import { entityWorkflowId } from '../../workflows/messages.ts';
import type { Around } from '../around.ts';
import type { Binding } from '../binding.ts';
import type { Controller, Controllers } from '../controller.ts';
import type { Announce } from '../publish/announce.ts';
import { failingCondition, failingMark, type MarkCondition } from '../publish/mark-condition.ts';
import { describeRun, isReportingProblems, lastTaskFailure, type RunRef, runsByObject } from '../signal/runs.ts';
import { type FailingRun, isUnreplayable } from './unreplayable.ts';

export interface FailingTasksDeps extends Pick<Around, 'client' | 'ledger' | 'log'> {
  readonly controllers: Controllers;
  /** True for namespaces whose objects this bridge sees. */
  readonly watches: (namespace: string) => boolean;
  readonly stores: Pick<Stores, 'get'>;
  readonly announce: Announce;
  readonly markCondition: MarkCondition;
  /** Number of objects of the kind whose workflow task keeps failing; `lock`: of the runs of slots and budgets. */
  readonly onFailing: (kind: string, count: number) => void;
}

/** An object with reported runs, or with the condition WorkflowFailing. */
interface Suspect {
  readonly binding: Binding;
  readonly entry: Entry;
  readonly runs: readonly RunRef[];
}

/** The last look at a suspect. */
interface Look {
  readonly sweep: number;
  /** The workflow tasks succeed again: Temporal's list was outdated. */
  readonly isWell: boolean;
  /** The text that was written as its condition. */
  readonly marked: string;
}

/** Temporal sets the attribute after five consecutive failures of a workflow task, and removes it after a success. */
const REPORTED = `TemporalReportedProblems IS NOT NULL AND ExecutionStatus = 'Running'`;

/** Attempts of a workflow task that may time out before its object shows it. */
const LATE_ATTEMPTS = 5;

/**
 * Number of objects that one sweep examines. Each costs two requests to Temporal, and up to three to the API server.
 */
export const LOOKS = 100;

/**
 * Number of runs that one sweep ends: four a minute. A release whose code lacks a patch makes all runs fail at once.
 * Because so few are ended, a person who sees the metric can return to the old version, with which the other runs
 * continue.
 */
export const ENDINGS = 2;

/**
 * Finds runs whose workflow task keeps failing, which is visible in Temporal only, with one query for all kinds and
 * their operations. Each sweep counts all of them, and examines some in turn.
 */
export function createFailingTasksSweep(deps: FailingTasksDeps): (signal: AbortSignal) => Promise<void> {
  const { client, controllers, watches, stores, ledger, announce, markCondition, onFailing, log } = deps;
  /** The last look at each present suspect, by uid. */
  let looks: ReadonlyMap<string, Look> = new Map();
  let sweep = 0;
  let endingsLeft = 0;

  /**
   * The failure of a run. undefined: since the run was listed, it has ended or its task has succeeded; or the task is
   * only late.
   */
  const failureOf = async ({ workflowId, runId }: RunRef): Promise<FailingRun | undefined> => {
    const run = await describeRun(client, workflowId, runId);
    if (run?.status !== 'RUNNING' || run.taskAttempt === 0) return undefined;
    const { taskQueue, taskAttempt } = run;
    const failure = await lastTaskFailure(client, workflowId, runId);
    // On a busy computer, a few attempts may time out.
    if (failure?.cause === 'timeout' && taskAttempt <= LATE_ATTEMPTS) return undefined;
    return failure && { workflowId, runId, taskQueue, taskAttempt, ...failure };
  };

  /** Terminates a run. The run or operation then begins again, if its object exists. */
  const end = async (kind: string, object: string, { workflowId, runId }: RunRef): Promise<void> => {
    endingsLeft -= 1;
    log.error({ kind, object, workflowId, runId }, 'a run that can not be replayed is ended');
    await client.workflow.getHandle(workflowId, runId).terminate('its history can not be replayed');
  };

  /** Ends runs that can't be replayed and whose object is gone: such a run cannot take in a signal. */
  const endStrays = async (controller: Controller, reported: ReadonlyMap<string, readonly RunRef[]>): Promise<void> => {
    const { followed } = controller.binding;
    const { kind } = followed;
    let looksLeft = LOOKS;
    const prefix = entityWorkflowId(kind, { namespace: '', name: '' }).slice(0, -1);
    for (const [id, runs] of reported) {
      const key = id.slice(prefix.length);
      // The store also has the objects that do not match the watch filter.
      const isStray =
        id.startsWith(prefix) && watches(nameOf(key).namespace) && stores.get(followed, key) === undefined;
      for (const run of isStray ? runs : []) {
        if (endingsLeft === 0 || looksLeft === 0) return;
        looksLeft -= 1;
        const failing = await failureOf(run);
        if (failing !== undefined && (await isUnreplayable(client, failing))) await end(kind, key, run);
      }
    }
  };

  const lookAt = async (suspect: Suspect): Promise<Omit<Look, 'sweep'>> => {
    const { binding, entry, runs } = suspect;
    const { kind } = binding.followed;
    const known = ledger.of(entry.uid);
    const failing: FailingRun[] = [];
    for (const run of runs) {
      const failure = await failureOf(run);
      if (failure !== undefined) failing.push(failure);
    }
    const id = entityWorkflowId(kind, entry);
    const worst = failing.find(({ workflowId }) => workflowId === id) ?? failing[0];
    // An object waits for its operations, so a failure of an operation is shown on the object.
    const cause = worst && (worst.workflowId === id ? worst.message : `${worst.workflowId}: ${worst.message}`);
    const failure =
      cause === undefined
        ? ''
        : `The ${kind}'s workflow keeps failing. Nothing is done for the ${kind} until the cause is fixed: ${cause}`;
    if (worst !== undefined && known.failing === '') {
      const { runId } = worst;
      log.error({ kind, object: keyOf(entry), runId, failure: cause }, 'a workflow task keeps failing');
      const event = {
        id: `failing/${runId}`,
        reason: 'WorkflowTaskFailing',
        message: failure,
        type: 'Warning',
      } as const;
      await announce({ binding, object: entry, event });
    }
    known.failing = failure;
    for (const run of failing) {
      if (endingsLeft > 0 && (await isUnreplayable(client, run))) await end(kind, keyOf(entry), run);
    }
    const marked = looks.get(entry.uid)?.marked ?? '';
    if (binding.isLeftAlone?.(entry) || isShown(entry, failure, marked)) return { isWell: failure === '', marked };
    const isMarked = await markCondition(binding, entry, failingMark(failure));
    return { isWell: failure === '', marked: isMarked ? failure : marked };
  };

  const suspectsOf = ({ binding, own }: Controller, reported: ReadonlyMap<string, readonly RunRef[]>): Suspect[] =>
    [...own.values()].flatMap((entry) => {
      const runs = reported.get(entityWorkflowId(binding.followed.kind, entry)) ?? [];
      const known = ledger.find(entry.uid);
      if (runs.length === 0 && known !== undefined) known.failing = '';
      return runs.length > 0 || !isShown(entry, '', '') ? [{ binding, entry, runs }] : [];
    });

  return async (signal) => {
    if (!(await isReportingProblems(client))) throw new Error(NOT_REPORTED);
    const reported = await runsByObject(client, REPORTED);
    const ready = [...controllers.values()].filter(({ isReady }) => isReady());
    const suspects = ready.flatMap((controller) => suspectsOf(controller, reported));
    const next = new Map<string, Look>();
    for (const { entry } of suspects) {
      const look = looks.get(entry.uid);
      if (look !== undefined) next.set(entry.uid, look);
    }
    looks = next;
    sweep += 1;
    endingsLeft = ENDINGS;
    const lookedAt = ({ entry }: Suspect): number => looks.get(entry.uid)?.sweep ?? 0;
    for (const suspect of suspects.toSorted((a, b) => lookedAt(a) - lookedAt(b)).slice(0, LOOKS)) {
      if (signal.aborted) return;
      const { binding, entry } = suspect;
      // A failure for one object does not end the sweep, nor does it keep others waiting in the next one.
      const look = await lookAt(suspect).catch((error: unknown) => {
        const { kind } = binding.followed;
        log.warn({ kind, object: keyOf(entry), err: error }, 'the workflow task of an object could not be checked');
        return { isWell: false, marked: '' };
      });
      next.set(entry.uid, { sweep, ...look });
    }
    for (const controller of ready) {
      if (signal.aborted) return;
      await endStrays(controller, reported).catch((error: unknown) =>
        log.warn({ kind: controller.binding.followed.kind, err: error }, 'runs without an object could not be checked'),
      );
    }
    for (const { binding } of ready) {
      const failing = suspects.filter(
        ({ binding: its, entry, runs }) => its === binding && runs.length > 0 && !looks.get(entry.uid)?.isWell,
      );
      onFailing(binding.followed.kind, failing.length);
    }
    const locks = Object.values(LOCKS).filter(({ workflowId }) => reported.has(workflowId));
    for (const { workflowId } of locks) log.error({ workflowId }, 'a workflow task keeps failing');
    onFailing('lock', locks.length);
  };
}

const NOT_REPORTED =
  'Temporal does not report failing workflow tasks. Its server must be 1.30 or later, with a value above 0 for ' +
  'system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute';

/**
 * True when the object's condition has this message, or for '' no such condition. An earlier bridge may have written
 * it. Each sweep looks at all objects, so their status is not parsed. Kinds without conditions compare with `marked`,
 * which was written last.
 */
function isShown({ object }: Entry, failure: string, marked: string): boolean {
  const status = isObject(object) && object['status'];
  const conditions: unknown = isObject(status) && status['conditions'];
  if (!Array.isArray(conditions)) return failure === '' || failure === marked;
  const shown: unknown = conditions.find((each) => isObject(each) && each['type'] === WORKFLOW_FAILING);
  if (failure === '') return shown === undefined;
  return isObject(shown) && shown['message'] === failingCondition(failure).message;
}
