import { traitsOf } from '../../states/table.ts';
import { type HostMemory, isDeleting } from '../memory/memory.ts';
import { deploymentAsked } from './wishes.ts';

/** The host is made ready for the deployment that it asks for. */
export const isToBeDeployed = (memory: HostMemory): boolean =>
  traitsOf(memory.status.provisioning.state).server.isBeforeDeployment &&
  memory.seen.spec.online &&
  deploymentAsked(memory) &&
  !isDeleting(memory);

/** The host has failed to deploy what it still asks for, and is made ready for another attempt, or has given up. */
export const isBetweenAttempts = (memory: HostMemory): boolean =>
  memory.status.provisioningFailCount > 0 && isToBeDeployed(memory);
