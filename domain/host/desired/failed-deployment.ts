import type { ProvisioningState } from '../../../api/baremetalhost/values.ts';
import { type HostMemory, isDeleting } from '../memory/memory.ts';
import { deploymentAsked } from './wishes.ts';

/** States of a host that is not being deployed, in which it is made ready for it. */
const BETWEEN_ATTEMPTS: readonly ProvisioningState[] = ['inspecting', 'preparing', 'available', 'ready'];

/** The host has failed to deploy what it still asks for, and is made ready for another attempt, or has given up. */
export const isBetweenAttempts = (memory: HostMemory): boolean =>
  memory.status.provisioningFailCount > 0 &&
  BETWEEN_ATTEMPTS.includes(memory.status.provisioning.state) &&
  memory.seen.spec.online &&
  deploymentAsked(memory) &&
  !isDeleting(memory);
