import { NODE_OCCUPIED, saysOccupied } from '../../ironic/occupied.ts';
import { heldNow } from '../approval/gate.ts';
import type { HostMemory } from '../memory/memory.ts';
import { isHeldBy } from '../steering/holds.ts';
import type { WaitFacts, WaitReason } from '../waits.ts';

/** What the run of a host knows of its waits. */
export const waitFactsOf = (memory: HostMemory): WaitFacts => ({
  isHeld: isHeldBy(memory.seen.annotations, memory.consumedAnnotations),
  failed: whyFailed(memory),
  held: heldNow(memory)?.reason,
  operationalStatus: memory.status.operationalStatus,
  state: memory.status.provisioning.state,
});

function whyFailed({ retry, status, seen }: HostMemory): WaitReason | undefined {
  if (retry === null) return undefined;
  if (retry.kind === 'at') return 'Retrying';
  const isOfSecret = status.errorType === 'registration error';
  if (isOfSecret && seen.bmcSecret?.resourceVersion === null) return 'WaitingForSecret';
  if (saysOccupied(status.errorMessage)) return NODE_OCCUPIED;
  return isOfSecret ? 'BMCCredentialError' : 'RetryLimitReached';
}
