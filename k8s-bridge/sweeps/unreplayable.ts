import type { Client } from '@temporalio/client';
import { livePollers } from '../../platform/temporal/live-pollers.ts';
import type { RunRef, TaskFailure, WorkflowRun } from '../signal/runs.ts';

export interface FailingRun extends RunRef, TaskFailure, Pick<WorkflowRun, 'taskQueue' | 'taskAttempt'> {}

/**
 * Attempts after which a run is ended, by the cause of the first failure. Fewer attempts might all have gone to workers
 * of an old version during an upgrade. When the first attempt timed out, the history never says why the later ones
 * fail: a replay may have become impossible, or takes too long each time. With Temporal's pauses between them, eight
 * attempts take about five minutes.
 */
const ATTEMPTS = { history: 5, timeout: 8 } as const;

/**
 * True when no worker could replay the run's history in five attempts of its pending workflow task (eight when the
 * first one timed out), as far as that can be known. The search attribute by which the run was found is not enough: its
 * number of attempts is a setting (`system.numConsecutiveWorkflowTaskProblemsToTriggerSearchAttribute`), it counts over
 * several tasks, and its row may be old.
 *
 * Temporal counts an attempt when a worker took the task and answered with a failure, or did not answer in time. It
 * counts none while no worker asks for tasks, and none from a worker's sticky queue (`failWorkflowTask` in
 * service/history/workflow/workflow_task_state_machine.go of temporalio/temporal, 1.32). The history has only the
 * failure of the first attempt. The other attempts may have failed or not: the SDK lets them time out (`should_report`
 * in `failed_completion`, managed_run.rs of its Core), just as a busy or lost worker does. So this function requires a
 * replay error or a timeout as the first failure, the count of this task alone, and a worker that runs now. A signal to
 * the run resets the count (`AddWorkflowTaskStartedEvent`): the run is then ended later.
 */
export async function isUnreplayable(client: Client, run: FailingRun): Promise<boolean> {
  const { cause, isOfLastTask, taskAttempt, taskQueue } = run;
  if (cause === 'other' || !isOfLastTask || taskAttempt <= ATTEMPTS[cause]) return false;
  // Without a worker now, workers of a version that can replay the run may be about to start.
  return (await livePollers(client, taskQueue)).length > 0;
}
