import { ANNOTATIONS, STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { same } from '../../same.ts';
import type { HostMemory } from './memory.ts';
import type { HostSnapshot } from './snapshot.ts';

/**
 * True when the user or the image builder changed something between two snapshots that may make a failed attempt
 * succeed.
 */
export function asksForMore(memory: HostMemory, before: HostSnapshot, after: HostSnapshot): boolean {
  const secret = after.bmcSecret?.resourceVersion;
  // Adding our label changes the Secret's version too: that version has been tried already.
  const secretChanged =
    secret !== before.bmcSecret?.resourceVersion && secret !== memory.status.triedCredentials?.credentialsVersion;
  return (
    secretChanged ||
    specChanged(memory, before, after) ||
    before.deletionTimestamp !== after.deletionTimestamp ||
    !same(before.image, after.image) ||
    networkChanged(before, after) ||
    annotationsChanged(before, after) ||
    before.settings.maxProvisioningRetries !== after.settings.maxProvisioningRetries
  );
}

/**
 * Adding our label bumps the Secret's resourceVersion, so only a newly created Secret counts. With image building, any
 * change does.
 */
function networkChanged(
  { preprovisioningNetworkData: before }: HostSnapshot,
  { preprovisioningNetworkData: after, settings }: HostSnapshot,
): boolean {
  if (settings.buildsPreprovisioningImages) return !same(before, after);
  return before?.resourceVersion === null && after !== undefined && after.resourceVersion !== null;
}

/** Annotations that only their owner removes: their removal counts as a request as well. */
const isOwners = (key: string): boolean =>
  key === ANNOTATIONS.detached ||
  key === ANNOTATIONS.paused ||
  key === STEERING_ANNOTATIONS.quarantine ||
  key === STEERING_ANNOTATIONS.abort ||
  key.startsWith(`${ANNOTATIONS.reboot}/`);

function annotationsChanged({ annotations: before }: HostSnapshot, { annotations: after }: HostSnapshot): boolean {
  const keys = Object.keys({ ...before, ...after });
  return keys.some((key) => before[key] !== after[key] && (key in after || isOwners(key)));
}

/** We write the architecture from inspection into the spec: this is not a request of a user. */
function specChanged(memory: HostMemory, before: HostSnapshot, after: HostSnapshot): boolean {
  const found = memory.architecture || after.hardwareArchitecture;
  const withArchitecture = ({ spec }: HostSnapshot) => ({ ...spec, architecture: spec.architecture ?? found });
  return !same(withArchitecture(before), withArchitecture(after));
}
