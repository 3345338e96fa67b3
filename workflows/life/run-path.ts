import { workflowInfo } from '@temporalio/workflow';

/** The path of a workflow of this Temporal namespace in the Web UI. */
export const runPath = (workflowId: string): string =>
  `/namespaces/${encodeURIComponent(workflowInfo().namespace)}/workflows/${encodeURIComponent(workflowId)}`;
