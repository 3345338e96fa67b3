import { bareMetalHostStatus } from '../../api/baremetalhost/status.ts';
import type { BareMetalHost, BareMetalHostStatus } from '../../api/baremetalhost/types.ts';
import { ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { IMAGE_FINALIZERS } from '../../api/preprovisioningimage/values.ts';
import { CLUSTER_ANNOTATIONS } from '../../domain/cluster-api/names.ts';
import type { DataImageSeen } from '../../domain/host/media/media.ts';
import type { HostSettings } from '../../domain/host/memory/settings.ts';
import type { HostSnapshot } from '../../domain/host/memory/snapshot.ts';
import type { CarriedHostStatus } from '../../domain/host/report/view.ts';
import type { ImageFacts } from '../../domain/preprovisioning/image.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Cluster, DataImageEntry, ImageEntry } from '../watch.ts';
import { identityOf } from './identity.ts';

/** Large annotations stay out of snapshots: they concern the status, which is written by the bridge. */
const OBSERVED_ANNOTATIONS: readonly string[] = [
  ANNOTATIONS.paused,
  ANNOTATIONS.detached,
  ANNOTATIONS.reboot,
  ANNOTATIONS.inspect,
  CLUSTER_ANNOTATIONS.deleteForMove,
];

/** The host as its workflow is to see it. */
export function observe(
  host: BareMetalHost,
  cluster: Pick<Cluster, 'dataImage' | 'hardware' | 'image' | 'secretVersion'>,
  settings: HostSettings,
): HostSnapshot {
  const { metadata, spec } = host;
  const hardware = cluster.hardware(keyOf(metadata));
  const secret = spec.bmc?.credentialsName;
  const status = recordedStatus(host);
  return {
    ...identityOf(metadata),
    annotations: observedAnnotations(metadata.annotations ?? {}),
    spec,
    settings,
    ...(secret && { bmcSecret: { name: secret, resourceVersion: cluster.secretVersion(metadata.namespace, secret) } }),
    ...networkSecretSeen(host, cluster),
    ...(settings.buildsPreprovisioningImages && imageSeen(host, cluster)),
    ...dataImageSeen(cluster.dataImage(keyOf(metadata))),
    hasHardwareData: hardware !== undefined,
    hardwareArchitecture: hardware?.architecture ?? '',
    hasHardware: host.status?.hardware !== undefined,
    ...(status !== undefined && { status }),
  };
}

const dataImageSeen = (found: DataImageEntry | undefined): { readonly dataImage?: DataImageSeen } =>
  found === undefined
    ? {}
    : { dataImage: { uid: found.uid, url: found.url, deleting: found.deleting, status: found.status } };

/** The Secret with the network of the deploy agent. */
function networkSecretSeen(
  { metadata, spec: { preprovisioningNetworkDataName: name } }: BareMetalHost,
  cluster: Pick<Cluster, 'secretVersion'>,
): Pick<HostSnapshot, 'preprovisioningNetworkData'> {
  if (!name) return {};
  return { preprovisioningNetworkData: { name, resourceVersion: cluster.secretVersion(metadata.namespace, name) } };
}

function imageSeen({ metadata }: BareMetalHost, cluster: Pick<Cluster, 'image'>): Pick<HostSnapshot, 'image'> {
  const image = cluster.image(keyOf(metadata));
  return image === undefined ? {} : { image: toFacts(image, metadata.labels ?? {}) };
}

const toFacts = (
  { resourceVersion, generation, deleting, finalizers, labels, spec, status }: ImageEntry,
  ofHost: Readonly<Record<string, string>>,
): ImageFacts => ({
  resourceVersion,
  generation,
  spec,
  status,
  deleting,
  held: finalizers.includes(IMAGE_FINALIZERS.host),
  labelled: Object.entries(ofHost).every(([key, value]) => labels[key] === value),
});

/** Two snapshots that are the same here tell a workflow the same: what only the bridge writes does not count. */
export function essence(
  snapshot: HostSnapshot,
): Omit<HostSnapshot, 'resourceVersion' | 'status' | 'hasHardware' | 'hasHardwareData'> {
  const { resourceVersion: _, status: __, hasHardware: ___, hasHardwareData: ____, dataImage, ...rest } = snapshot;
  if (dataImage === undefined) return rest;
  const { status: _____, ...asked } = dataImage;
  return { ...rest, dataImage: asked };
}

const observedAnnotations = (annotations: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(annotations).filter(
      ([key]) => OBSERVED_ANNOTATIONS.includes(key) || key.startsWith(`${ANNOTATIONS.reboot}/`),
    ),
  );

/** The status the host carries; for one that was never written, the status that came along as an annotation. */
function recordedStatus({ metadata, status }: BareMetalHost): CarriedHostStatus | undefined {
  if (status?.lastUpdated !== undefined) return toRecord(status);
  const carried = metadata.annotations?.[ANNOTATIONS.status];
  const restored = carried === undefined ? undefined : parseStatus(carried);
  if (restored !== undefined) return toRecord(restored);
  return status === undefined ? undefined : toRecord(status);
}

/** undefined for what is no status: such an annotation is ignored, as upstream does. */
export function parseStatus(text: string): BareMetalHostStatus | undefined {
  try {
    const parsed = bareMetalHostStatus.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

function toRecord(status: BareMetalHostStatus): CarriedHostStatus {
  const { hardware: _, conditions: __, lastUpdated: ___, ...record } = status;
  return record;
}
