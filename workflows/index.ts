import './versioning.ts';

export { hostWorkflow } from './kinds/baremetalhost.ts';
export { ipPoolWorkflow } from './kinds/ippool.ts';
export { clusterMachineWorkflow, openShiftMachineWorkflow } from './kinds/machine-api.ts';
export { machineSetWorkflow } from './kinds/machineset.ts';
export { metal3ClusterWorkflow } from './kinds/metal3cluster.ts';
export { dataWorkflow } from './kinds/metal3data.ts';
export { dataTemplateWorkflow } from './kinds/metal3datatemplate.ts';
export { metal3MachineWorkflow } from './kinds/metal3machine.ts';
export { remediationWorkflow } from './kinds/metal3remediation.ts';
export { lockWorkflow } from './lock/workflow.ts';
export { deleteWorkflow } from './operations/delete.ts';
export { deprovisionWorkflow } from './operations/deprovision.ts';
export { inspectWorkflow } from './operations/inspect.ts';
export { prepareWorkflow } from './operations/prepare.ts';
export { provisionWorkflow } from './operations/provision.ts';
