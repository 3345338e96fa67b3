import { isFree, traitsOf } from '../../states/table.ts';
import type { HostMemory } from '../memory/memory.ts';

type Failing = Pick<HostMemory, 'status' | 'seen'>;

/** The error that the host shows, with its number: `provisioning error (failure 2 of 5 for this image)`. */
export const failureWords = (memory: Failing): string => `${memory.status.errorType ?? 'error'} (${numbered(memory)})`;

function numbered({ status, seen }: Failing): string {
  const { count, isOfImage } = failuresOf({ ...status, state: status.provisioning.state });
  return isOfImage ? ofImage(count, seen) : `failure ${count}`;
}

/**
 * How many failures there were. Failed deployments are counted for each image, all other failures while none of them
 * succeeds; a host that is deployed again has had no other failure since.
 */
export function failuresOf({ errorType, state, errorCount, provisioningFailCount }: Counted): {
  readonly count: number;
  readonly isOfImage: boolean;
} {
  const ofAll = { count: errorCount, isOfImage: false };
  if (errorType !== 'provisioning error') return ofAll;
  // The failure is added to the count when the host leaves this state.
  if (traitsOf(state).work === 'provision') return { count: provisioningFailCount + 1, isOfImage: true };
  return isFree(state) ? { count: provisioningFailCount, isOfImage: true } : ofAll;
}

type Counted = Pick<HostMemory['status'], 'errorCount' | 'provisioningFailCount'> & {
  readonly errorType?: string | undefined;
  readonly state: string;
};

/** `failure 2 of 5 for this image`; without a limit, `failure 2 for this image`. */
export const ofImage = (count: number, { settings }: HostMemory['seen']): string =>
  `failure ${count}${limitOf(settings.maxProvisioningRetries)} for this image`;

/** ` of 5`, or nothing without a limit. */
export const limitOf = (limit: number): string => (limit > 0 ? ` of ${limit}` : '');
