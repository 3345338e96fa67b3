import { workflowInfo } from '@temporalio/workflow';

/** The path of a workflow's page in the Web UI, in this Temporal namespace. */
export const runPath = (workflowId: string): string =>
  `/namespaces/${encodeURIComponent(workflowInfo().namespace)}/workflows/${encodeURIComponent(workflowId)}`;
