import type { HostMemory } from '../memory/memory.ts';

/** The end of the text of a failure that is not retried before something changes. */
export const WAITS_FOR_CHANGE = '; waits for a change';

type Failing = Pick<HostMemory, 'status' | 'seen'>;

/** The error that the host shows, with its number: `provisioning error (failure 2 of 5 for this image)`. */
export const failureWords = (memory: Failing): string => `${memory.status.errorType ?? 'error'} (${numbered(memory)})`;

/** Failed deployments are counted for each image; a host that is deployed again has had no other failure since. */
function numbered({ status, seen }: Failing): string {
  const { errorType, errorCount, provisioning, provisioningFailCount } = status;
  if (errorType !== 'provisioning error') return `failure ${errorCount}`;
  // The failure is added to the count when the host leaves the state `provisioning`.
  if (provisioning.state === 'provisioning') return ofImage(provisioningFailCount + 1, seen);
  return provisioning.state === 'available' ? ofImage(provisioningFailCount, seen) : `failure ${errorCount}`;
}

/** `failure 2 of 5 for this image`; without a limit, `failure 2 for this image`. */
export const ofImage = (count: number, { settings }: HostMemory['seen']): string =>
  `failure ${count}${limitOf(settings.maxProvisioningRetries)} for this image`;

/** ` of 5`, or nothing without a limit. */
export const limitOf = (limit: number): string => (limit > 0 ? ` of ${limit}` : '');
