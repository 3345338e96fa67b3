import { MACHINE_API } from '../groups.ts';
import type { Kind } from '../kind.ts';

/** Our finalizer where the machine controller is another program. */
export const ACTUATOR_FINALIZER = 'actuator.temper.metal3.io';

export const openShiftMachine = {
  kind: 'Machine.machine.openshift.io',
  apiKind: 'Machine',
  apiVersion: MACHINE_API,
  plural: 'machines',
  workflow: { type: 'openShiftMachineWorkflow', controller: 'machine-api', firstState: 'provisioning' },
  finalizers: [ACTUATOR_FINALIZER],
} as const satisfies Kind;

export const clusterMachine = {
  kind: 'Machine.cluster.k8s.io',
  apiKind: 'Machine',
  apiVersion: 'cluster.k8s.io/v1alpha1',
  plural: 'machines',
  workflow: { type: 'clusterMachineWorkflow', controller: 'machine-api', firstState: 'provisioning' },
  finalizers: [ACTUATOR_FINALIZER],
} as const satisfies Kind;

export const openShiftMachineSet = {
  kind: 'MachineSet.machine.openshift.io',
  apiKind: 'MachineSet',
  apiVersion: MACHINE_API,
  plural: 'machinesets',
  workflow: { type: 'machineSetWorkflow', controller: 'machine-api' },
} as const satisfies Kind;

export const healthCheck = {
  kind: 'MachineHealthCheck',
  apiVersion: MACHINE_API,
  plural: 'machinehealthchecks',
} as const satisfies Kind;
