export { capacityWorkflow } from './capacity/workflow.ts';
export { deleteWorkflow } from './host/operations/delete.ts';
export { deprovisionWorkflow } from './host/operations/deprovision.ts';
export { inspectWorkflow } from './host/operations/inspect.ts';
export { prepareWorkflow } from './host/operations/prepare.ts';
export { provisionWorkflow } from './host/operations/provision.ts';
export { hostWorkflow } from './host/workflow.ts';
