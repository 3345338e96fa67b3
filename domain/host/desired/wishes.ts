import type { Image, RootDeviceHints } from '../../../api/baremetalhost/types.ts';
import { ANNOTATIONS, type BootMode, type InspectionMode } from '../../../api/baremetalhost/values.ts';
import { isMovedAway } from '../../cluster-api/names.ts';
import type { HostRef, NodeOrder } from '../../ironic/orders.ts';
import type { HostMemory, Registration } from '../memory/memory.ts';

/** Which parts of the spec and the annotations ask for what; the one place that reads them. */

export const hostRef = ({ seen }: HostMemory): HostRef => ({
  namespace: seen.namespace,
  name: seen.name,
  uid: seen.uid,
});

export const isPaused = ({ seen }: HostMemory): boolean => ANNOTATIONS.paused in seen.annotations || isMovedAway(seen);

/** What of the spec Ironic is told at registration: a change of it, at rest too, means telling it again. */
export function registeredSettings({ seen: { spec } }: HostMemory): Registration['settings'] {
  return {
    address: spec.bmc?.address ?? '',
    credentialsName: spec.bmc?.credentialsName ?? '',
    disableCertificateVerification: spec.bmc?.disableCertificateVerification ?? false,
    bootMACAddress: spec.bootMACAddress ?? '',
    automatedCleaningMode: spec.automatedCleaningMode ?? 'metadata',
    disablePowerOff: spec.disablePowerOff ?? false,
    preprovisioningNetworkDataName: spec.preprovisioningNetworkDataName ?? '',
  };
}

export const wantedBootMode = ({ seen }: HostMemory): BootMode => seen.spec.bootMode ?? 'UEFI';

export function inspectionMode({ seen }: HostMemory): InspectionMode {
  if (seen.annotations[ANNOTATIONS.inspect] === 'disabled') return 'disabled';
  return seen.spec.inspectionMode ?? 'agent';
}

/** An `inspect.metal3.io` annotation with any value but `disabled`. */
export function reinspectionAsked({ seen, consumedAnnotations }: HostMemory): boolean {
  const value = seen.annotations[ANNOTATIONS.inspect];
  return value !== undefined && value !== 'disabled' && !consumedAnnotations.includes(ANNOTATIONS.inspect);
}

/** The image asked for; an empty URL is no image. */
export function wantedImage({ seen }: HostMemory): Image | undefined {
  const image = seen.spec.image;
  return image === undefined || image.url === '' ? undefined : image;
}

/** The custom deploy step asked for; an empty one is none. */
export const wantedMethod = ({ seen }: HostMemory): string | undefined => seen.spec.customDeploy?.method || undefined;

export const provisionedUrl = ({ status }: HostMemory): string => status.provisioning.image?.url ?? '';

/** True when something is asked for that is not on the host yet. */
export function deploymentAsked(memory: HostMemory): boolean {
  const method = wantedMethod(memory);
  return (
    (wantedImage(memory) !== undefined && provisionedUrl(memory) === '') ||
    (method !== undefined && method !== memory.status.provisioning.customDeploy?.method)
  );
}

/**
 * True when what runs, or is being put, on the host is no longer what is asked for. Of an image only the URL counts, and
 * a custom step replaces only another one: it does nothing to a host that runs the image beside it.
 */
export function provisioningCancelled(
  memory: HostMemory,
  running: { readonly url: string; readonly method?: string | undefined },
): boolean {
  const wanted = wantedImage(memory)?.url;
  const otherImage = running.url !== '' && running.url !== wanted;
  const method = wantedMethod(memory);
  if (method !== undefined) return (Boolean(running.method) && method !== running.method) || otherImage;
  return Boolean(running.method) || wanted === undefined || otherImage;
}

/** What was deployed last, as the status tells. */
export const provisionedWith = ({
  status,
}: HostMemory): { readonly url: string; readonly method?: string | undefined } => ({
  url: status.provisioning.image?.url ?? '',
  method: status.provisioning.customDeploy?.method,
});

/** Hints by hardware profile, for hosts that state none. */
const PROFILE_HINTS: Readonly<Record<string, RootDeviceHints | undefined>> = {
  unknown: { deviceName: '/dev/sda' },
  libvirt: { deviceName: '/dev/vda' },
  dell: { hctl: '0:0:0:0' },
  'dell-raid': { hctl: '0:2:0:0' },
  openstack: { deviceName: '/dev/vdb' },
  empty: undefined,
};

export const isKnownProfile = (profile: string): boolean => profile in PROFILE_HINTS;

/** Sticky once chosen: the spec's own, else by the kind of BMC. */
export function hardwareProfile({ seen, status }: HostMemory): string {
  if (status.hardwareProfile !== undefined && status.hardwareProfile !== '') return status.hardwareProfile;
  if (seen.spec.hardwareProfile !== undefined && seen.spec.hardwareProfile !== '') return seen.spec.hardwareProfile;
  return seen.spec.bmc?.address.startsWith('libvirt') ? 'libvirt' : 'unknown';
}

export const wantedRootDeviceHints = (memory: HostMemory): RootDeviceHints | undefined =>
  memory.seen.spec.rootDeviceHints ?? PROFILE_HINTS[hardwareProfile(memory)];

/** How the node should look in Ironic. */
export function nodeOrder(memory: HostMemory): NodeOrder {
  const { spec } = memory.seen;
  const method = wantedMethod(memory);
  const architecture = spec.architecture ?? (memory.architecture || memory.seen.hardwareArchitecture);
  return {
    host: hostRef(memory),
    nodeId: memory.status.provisioning.ID,
    bmc: {
      address: spec.bmc?.address ?? '',
      credentialsName: spec.bmc?.credentialsName ?? '',
      disableCertificateVerification: spec.bmc?.disableCertificateVerification ?? false,
    },
    bootMode: memory.status.provisioning.bootMode ?? wantedBootMode(memory),
    inspectionMode: inspectionMode(memory),
    automatedCleaningMode: spec.automatedCleaningMode ?? 'metadata',
    disablePowerOff: spec.disablePowerOff ?? false,
    ...(spec.bootMACAddress !== undefined && { bootMACAddress: spec.bootMACAddress }),
    ...(architecture && { architecture }),
    ...(spec.preprovisioningNetworkDataName !== undefined && {
      preprovisioningNetworkDataName: spec.preprovisioningNetworkDataName,
    }),
    ...(spec.image !== undefined && { image: spec.image }),
    ...(method !== undefined && { customDeployMethod: method }),
  };
}
