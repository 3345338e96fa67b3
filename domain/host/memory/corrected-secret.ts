import { type HostMemory, withoutFailures } from './memory.ts';
import type { HostSnapshot, SecretVersion } from './snapshot.ts';

/** Ends a backoff, and counts failed deployments anew, when somebody has changed a Secret that may have been the cause. */
export const withCorrectedSecret = (memory: HostMemory, before: HostSnapshot, after: HostSnapshot): HostMemory =>
  isCorrected(memory, after) || isDataChanged(before, after) ? withoutFailures({ ...memory, retry: null }) : memory;

/** The Secret whose text was wrong has another version than the one that was read. */
function isCorrected(
  { wrongSecret }: HostMemory,
  { dataSecrets = [], preprovisioningNetworkData }: HostSnapshot,
): boolean {
  if (wrongSecret === undefined) return false;
  const shown = wrongSecret.task === 'register' ? [preprovisioningNetworkData] : dataSecrets;
  const { resourceVersion } = shown.find((secret) => secret?.name === wrongSecret.name) ?? {};
  return typeof resourceVersion === 'string' && resourceVersion !== wrongSecret.resourceVersion;
}

/**
 * A Secret of a deployment has changed since one failed. Our own label, which changes it too, was there by then: the
 * deployment had read it.
 */
function isDataChanged({ dataSecrets: before = [] }: HostSnapshot, { dataSecrets: after = [] }: HostSnapshot): boolean {
  const versionBefore = ({ name }: SecretVersion) => before.find((secret) => secret.name === name)?.resourceVersion;
  return after.some((secret) => {
    const version = versionBefore(secret);
    return version !== undefined && secret.resourceVersion !== null && secret.resourceVersion !== version;
  });
}
