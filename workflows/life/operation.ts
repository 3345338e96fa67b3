import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  CancellationScope,
  type ChildWorkflowOptions,
  defineSignal,
  executeChild,
  getExternalWorkflowHandle,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import { endedBecause } from '../messages.ts';
import { TEMPER_NAMESPACE, TEMPER_OPERATION, TEMPER_SINCE } from '../search-attributes.ts';
import { outcomeOf } from './failed-run.ts';
import type { Performing } from './run.ts';
import { runPath } from './run-path.ts';
import { unlessEnded } from './signal-run.ts';

/**
 * Attempts to end the operation that the run started before it was reset, and the pause between them; then another
 * number is used.
 */
const TRIES = 30;
const PAUSE = '5 seconds';

/**
 * Tasks of operations go before all others: the default is 3, and lower numbers go first. When thousands of hosts are
 * begun at once, an operation that has begun would otherwise wait for minutes behind the first tasks of other hosts,
 * while it holds a slot.
 */
const PRIORITY = { priorityKey: 2 };

interface Operation<Order> extends Pick<Performing, 'summary' | 'nextNumber' | 'cancellationReason'> {
  /** Last part but one of the id: `baremetalhost/<namespace>/<name>/<name of the operation>/<number>`. */
  readonly name: string;
  readonly order: Order;
}

/**
 * Runs an operation as a child workflow. The child has no time limit, but its steps have limits while Ironic answers.
 * Operations of one object never overlap: an operation that the run started before it was reset is cancelled first.
 */
export async function runOperation<Order, Answer>(
  workflow: (order: Order) => Promise<Answer>,
  { name, order, summary, nextNumber, cancellationReason }: Operation<Order>,
): Promise<Answer> {
  let workflowId = '';
  for (let tries = 0; ; tries++) {
    // After a reset, a child workflow with this number may exist.
    if (tries % TRIES === 0) workflowId = `${workflowInfo().workflowId}/${name}/${nextNumber()}`;
    try {
      return await unlessLost(
        workflowId,
        cancelledWithReason(workflowId, cancellationReason, () =>
          executeChild(workflow, {
            args: [order],
            workflowId,
            staticSummary: summary,
            priority: PRIORITY,
            ...startedBy(name),
            cancellationType: 'WAIT_CANCELLATION_COMPLETED',
            parentClosePolicy: 'REQUEST_CANCEL',
          }),
        ),
      );
    } catch (error) {
      const failed = outcomeOf(error);
      if (failed !== undefined) return failed as Answer;
      if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
      await endLeftover(workflowId);
      await sleep(PAUSE, { summary: `Wait until ${operationIn(workflowId)}, which still runs, has ended` });
    }
  }
}

/**
 * Runs an operation that gets the reason before it is cancelled, because Temporal carries none with the request. Both
 * at once would race, and an operation that ends first would never know.
 */
async function cancelledWithReason<Answer>(
  workflowId: string,
  why: Performing['cancellationReason'],
  operation: () => Promise<Answer>,
): Promise<Answer> {
  const asked = CancellationScope.current();
  return CancellationScope.nonCancellable(async () => {
    const scope = new CancellationScope();
    let isOver = false;
    const cancel = async (): Promise<void> => {
      const reason = isOver ? undefined : why();
      if (reason !== undefined) await unlessEnded(getExternalWorkflowHandle(workflowId).signal(endedBecause, reason));
      scope.cancel();
    };
    if (asked.consideredCancelled) scope.cancel();
    else void asked.cancelRequested.catch(cancel);
    try {
      return await scope.run(operation);
    } finally {
      isOver = true;
    }
  });
}

/**
 * Settles as the operation does. When it is cancelled and has ended already, as after a reset of this run to a time
 * before its end, nobody tells this run: it counts as cancelled.
 */
async function unlessLost<Answer>(workflowId: string, operation: Promise<Answer>): Promise<Answer> {
  let looking: CancellationScope | undefined;
  let isOver = false;
  const lost = CancellationScope.current().cancelRequested.catch(async (cancelled: unknown): Promise<never> => {
    await CancellationScope.nonCancellable(async () => {
      looking = new CancellationScope();
      if (!isOver) await looking.run(() => hasEnded(workflowId));
    });
    throw cancelled;
  });
  try {
    return await Promise.race([operation, lost]);
  } finally {
    isOver = true;
    looking?.cancel();
  }
}

/** Resolves when the operation has ended, one pause later, so that its answer comes first if it comes at all. */
async function hasEnded(workflowId: string): Promise<void> {
  const operation = operationIn(workflowId);
  do await sleep(PAUSE, { summary: `Look whether ${operation} has ended` });
  while (await isThere(workflowId));
  await sleep(PAUSE, { summary: `Wait for the answer of ${operation}` });
}

/** Operations do nothing when they get it. */
const areYouThere = defineSignal('areYouThere');

/** A signal to a run that has ended fails; a second cancellation would not. */
const isThere = (workflowId: string): Promise<boolean> =>
  unlessEnded(getExternalWorkflowHandle(workflowId).signal(areYouThere));

const endLeftover = (workflowId: string): Promise<boolean> =>
  unlessEnded(getExternalWorkflowHandle(workflowId).cancel());

/** `inspect/3` */
const operationIn = (workflowId: string): string => workflowId.split('/').slice(-2).join('/');

/** How the run of an operation is listed; undefined members are not set. */
function startedBy(operation: string): Pick<ChildWorkflowOptions, 'typedSearchAttributes' | 'staticDetails'> {
  const { workflowId, typedSearchAttributes } = workflowInfo();
  const of = typedSearchAttributes.get(TEMPER_NAMESPACE);
  return {
    staticDetails: `An operation of [${workflowId}](${runPath(workflowId)})`,
    ...(of !== undefined && {
      typedSearchAttributes: [
        { key: TEMPER_NAMESPACE, value: of },
        { key: TEMPER_OPERATION, value: operation },
        { key: TEMPER_SINCE, value: new Date() },
      ],
    }),
  };
}
