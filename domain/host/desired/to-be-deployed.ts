import type { ProvisioningState } from '../../../api/baremetalhost/values.ts';
import { type HostMemory, isDeleting } from '../memory/memory.ts';
import { deploymentAsked } from './wishes.ts';

/** States of a host that is not being deployed, in which it is made ready for it. */
const BEFORE_DEPLOYMENT: readonly ProvisioningState[] = ['inspecting', 'preparing', 'available', 'ready'];

/** The host is made ready for the deployment that it asks for. */
export const isToBeDeployed = (memory: HostMemory): boolean =>
  BEFORE_DEPLOYMENT.includes(memory.status.provisioning.state) &&
  memory.seen.spec.online &&
  deploymentAsked(memory) &&
  !isDeleting(memory);

/** The host has failed to deploy what it still asks for, and is made ready for another attempt, or has given up. */
export const isBetweenAttempts = (memory: HostMemory): boolean =>
  memory.status.provisioningFailCount > 0 && isToBeDeployed(memory);
