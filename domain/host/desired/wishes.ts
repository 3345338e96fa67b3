import type { BareMetalHostSpec, Image, RootDeviceHints } from '../../../api/baremetalhost/types.ts';
import { ANNOTATIONS, type BootMode, type InspectionMode } from '../../../api/baremetalhost/values.ts';
import { isMovedAway } from '../../cluster-api/names.ts';
import { defined } from '../../defined.ts';
import { desiredBmc, desiredSettings, type SentSettings } from '../../ironic/node-settings.ts';
import type { DeploymentData, HostRef, NodeOrder } from '../../ironic/orders.ts';
import { isSameUrl } from '../../urls/hidden.ts';
import type { CarriedHostStatus } from '../memory/host-record.ts';
import type { HostMemory } from '../memory/memory.ts';
import { isInspectionDisabled } from './inspection-disabled.ts';

/** The desired state in spec and annotations; only this file reads them. */

/** A memory, or a BareMetalHost that was just read. */
export interface Wishing {
  readonly seen: { readonly spec: Pick<HostMemory['seen']['spec'], 'image' | 'customDeploy'> };
}

type Settings = Pick<HostMemory['seen'], 'spec' | 'annotations'>;

export const hostRef = ({ seen }: HostMemory): HostRef => ({
  namespace: seen.namespace,
  name: seen.name,
  uid: seen.uid,
});

export const isPaused = ({ seen }: HostMemory): boolean => ANNOTATIONS.paused in seen.annotations || isMovedAway(seen);

/** The part of the spec that registration sends to Ironic: a change of it leads to a new registration, also for a parked host. */
export const registeredSettings = ({ seen: { spec } }: HostMemory): SentSettings => ({
  ...desiredBmc(spec),
  ...desiredSettings(spec),
});

export const wantedBootMode = ({ seen }: { readonly seen: Settings }): BootMode => seen.spec.bootMode ?? 'UEFI';

export function inspectionMode({ seen }: { readonly seen: Settings }): InspectionMode {
  const { inspectionMode: mode } = seen.spec;
  return isInspectionDisabled(mode, seen.annotations) ? 'disabled' : (mode ?? 'agent');
}

/** True for an `inspect.metal3.io` annotation with any value but `disabled`. */
export function reinspectionAsked({ seen, consumedAnnotations }: HostMemory): boolean {
  const value = seen.annotations[ANNOTATIONS.inspect];
  return value !== undefined && value !== 'disabled' && !consumedAnnotations.includes(ANNOTATIONS.inspect);
}

/** The desired image; an empty URL means none. */
export function wantedImage({ seen }: Wishing): Image | undefined {
  const image = seen.spec.image;
  return image === undefined || image.url === '' ? undefined : image;
}

/** The desired custom deploy step; an empty one means none. */
export const wantedMethod = ({ seen }: Wishing): string | undefined => seen.spec.customDeploy?.method || undefined;

export const provisionedUrl = ({ status }: HostMemory): string => status.provisioning.image?.url ?? '';

/** True when something is desired that is not deployed yet. */
export function deploymentAsked(memory: HostMemory): boolean {
  const method = wantedMethod(memory);
  return (
    (wantedImage(memory) !== undefined && provisionedUrl(memory) === '') ||
    (method !== undefined && method !== memory.status.provisioning.customDeploy?.method)
  );
}

/**
 * True when the deployed or currently deploying image is no longer desired. Images are compared by URL only. A custom
 * deploy step replaces only another one: it has no effect on a host with an image.
 */
export function provisioningCancelled(
  memory: Wishing,
  running: { readonly url: string; readonly method?: string | undefined },
): boolean {
  const wanted = wantedImage(memory)?.url;
  const otherImage = running.url !== '' && (wanted === undefined || !isSameUrl(running.url, wanted));
  const method = wantedMethod(memory);
  if (method !== undefined) return (Boolean(running.method) && method !== running.method) || otherImage;
  return Boolean(running.method) || wanted === undefined || otherImage;
}

/** What was deployed last, from the status. */
export const provisionedWith = ({
  status,
}: {
  readonly status: Pick<CarriedHostStatus, 'provisioning'>;
}): { readonly url: string; readonly method?: string | undefined } => ({
  url: status.provisioning.image?.url ?? '',
  method: status.provisioning.customDeploy?.method,
});

/** Root device hints by hardware profile, for hosts without hints. */
const PROFILE_HINTS: Readonly<Record<string, RootDeviceHints | undefined>> = {
  unknown: { deviceName: '/dev/sda' },
  libvirt: { deviceName: '/dev/vda' },
  dell: { hctl: '0:0:0:0' },
  'dell-raid': { hctl: '0:2:0:0' },
  openstack: { deviceName: '/dev/vdb' },
  empty: undefined,
};

export const isKnownProfile = (profile: string): boolean => profile in PROFILE_HINTS;

/** A memory, or a BareMetalHost that was just read. */
export interface WithProfile {
  readonly seen: { readonly spec: Pick<BareMetalHostSpec, 'rootDeviceHints' | 'hardwareProfile' | 'bmc'> };
  readonly status: { readonly hardwareProfile?: string | undefined };
}

/** Never changes once chosen: the spec's own profile, else one by the type of BMC. */
export function hardwareProfile({ seen, status }: WithProfile): string {
  if (status.hardwareProfile !== undefined && status.hardwareProfile !== '') return status.hardwareProfile;
  if (seen.spec.hardwareProfile !== undefined && seen.spec.hardwareProfile !== '') return seen.spec.hardwareProfile;
  return seen.spec.bmc?.address.startsWith('libvirt') ? 'libvirt' : 'unknown';
}

export const wantedRootDeviceHints = (host: WithProfile): RootDeviceHints | undefined =>
  host.seen.spec.rootDeviceHints ?? PROFILE_HINTS[hardwareProfile(host)];

/** The data of a deployment, from a spec or an order. */
export const deploymentData = ({
  userData,
  metaData,
  networkData,
}: { readonly [Name in keyof DeploymentData]?: DeploymentData[Name] | undefined }): DeploymentData =>
  defined({ userData, metaData, networkData });

/** The desired Ironic node. */
export function nodeOrder(memory: HostMemory): NodeOrder {
  const { spec } = memory.seen;
  const architecture = spec.architecture ?? (memory.architecture || memory.seen.hardwareArchitecture);
  return {
    host: hostRef(memory),
    nodeId: memory.status.provisioning.ID,
    bootMode: memory.status.provisioning.bootMode ?? wantedBootMode(memory),
    ...(architecture && { architecture }),
    ...nodeSettings(memory.seen),
  };
}

/** The part of the desired node that nothing but spec and annotations decides. */
export function nodeSettings(seen: Settings): Omit<NodeOrder, 'host' | 'nodeId' | 'bootMode' | 'architecture'> {
  const { spec } = seen;
  const method = wantedMethod({ seen });
  return {
    bmc: desiredBmc(spec),
    ...desiredSettings(spec),
    inspectionMode: inspectionMode({ seen }),
    ...defined({ image: spec.image, customDeployMethod: method }),
  };
}
