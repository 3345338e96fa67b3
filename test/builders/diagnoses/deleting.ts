import type { ProvisioningState } from '../../../api/baremetalhost/values.ts';
import type { Sight } from '../../../domain/diagnosis/sight.ts';
import { aHealthyCluster, aHealthyMachine, aMachineOfMachineApi, type Examples, hostSight, NOW } from './sights.ts';

const deletedIn = (state: ProvisioningState): Sight => hostSight({ state, deleting: true });

export const DELETING_EXAMPLES = {
  'host-deleting': [deletedIn('deprovisioning'), deletedIn('provisioned')],
  'host-deleting-powers-off': [deletedIn('externally provisioned'), deletedIn('available')],
  'host-deleting-leaves-alone': [deletedIn('deleting'), deletedIn('unmanaged')],
  'machine-deleting': [{ now: NOW, machine: { ...aHealthyMachine, deleting: true } }],
  'machine-api-deleting': [{ now: NOW, machineApi: { ...aMachineOfMachineApi, deleting: true } }],
  'cluster-deleting': [{ now: NOW, cluster: { ...aHealthyCluster, deleting: true } }],
} satisfies Examples;
