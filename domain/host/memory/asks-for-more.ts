import { ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { same } from '../../same.ts';
import type { HostMemory } from './memory.ts';
import type { HostSnapshot } from './snapshot.ts';

/** Between two snapshots the user (or who builds images for the host) changed something that a failed attempt could not know. */
export function asksForMore(memory: HostMemory, before: HostSnapshot, after: HostSnapshot): boolean {
  const secret = after.bmcSecret?.resourceVersion;
  // Claiming the Secret changes its version too: that one has been tried already.
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

/** Claiming the Secret changes its version too, so that only one that came counts; who builds images asks for more with any. */
function networkChanged(
  { preprovisioningNetworkData: before }: HostSnapshot,
  { preprovisioningNetworkData: after, settings }: HostSnapshot,
): boolean {
  if (settings.buildsPreprovisioningImages) return !same(before, after);
  return before?.resourceVersion === null && after !== undefined && after.resourceVersion !== null;
}

/** Annotations that only their owner takes off: that they are gone is a wish as well. */
const isOwners = (key: string): boolean =>
  key === ANNOTATIONS.detached || key === ANNOTATIONS.paused || key.startsWith(`${ANNOTATIONS.reboot}/`);

function annotationsChanged({ annotations: before }: HostSnapshot, { annotations: after }: HostSnapshot): boolean {
  const keys = Object.keys({ ...before, ...after });
  return keys.some((key) => before[key] !== after[key] && (key in after || isOwners(key)));
}

/** The architecture that inspection found is written into the spec by us: nobody asks for anything with it. */
function specChanged(memory: HostMemory, before: HostSnapshot, after: HostSnapshot): boolean {
  const found = memory.architecture || after.hardwareArchitecture;
  const withArchitecture = ({ spec }: HostSnapshot) => ({ ...spec, architecture: spec.architecture ?? found });
  return !same(withArchitecture(before), withArchitecture(after));
}
