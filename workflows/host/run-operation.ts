import { executeChild, workflowInfo } from '@temporalio/workflow';
import { summaryOf } from '../../domain/host/report/words.ts';
import type { Operation, Outcome } from '../../domain/host/step.ts';
import { deleteWorkflow } from './operations/delete.ts';
import { deprovisionWorkflow } from './operations/deprovision.ts';
import { inspectWorkflow } from './operations/inspect.ts';
import { prepareWorkflow } from './operations/prepare.ts';
import { provisionWorkflow } from './operations/provision.ts';

/** Longer than any step of it may take: an operation that is still not over has failed. */
const OPERATION_DEADLINE = '8 hours';

/** Runs an operation as a child workflow of its own: `baremetalhost/<namespace>/<name>/<operation>/<number>`. */
export function runOperation(operation: Operation, number: number): Promise<Outcome> {
  const child = {
    workflowId: `${workflowInfo().workflowId}/${operation.name}/${number}`,
    staticSummary: summaryOf(operation),
    workflowExecutionTimeout: OPERATION_DEADLINE,
    cancellationType: 'WAIT_CANCELLATION_COMPLETED',
    parentClosePolicy: 'REQUEST_CANCEL',
  } as const;
  switch (operation.name) {
    case 'inspect':
      return executeChild(inspectWorkflow, { ...child, args: [operation.order] });
    case 'prepare':
      return executeChild(prepareWorkflow, { ...child, args: [operation.order] });
    case 'provision':
      return executeChild(provisionWorkflow, { ...child, args: [operation.order] });
    case 'deprovision':
      return executeChild(deprovisionWorkflow, { ...child, args: [operation.order] });
    case 'delete':
    case 'detach':
      return executeChild(deleteWorkflow, { ...child, args: [operation.order] });
  }
}
