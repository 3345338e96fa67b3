import { parseBareMetalHost } from '../../../api/baremetalhost/parse.ts';
import type { BareMetalHost } from '../../../api/baremetalhost/types.ts';
import { ANNOTATIONS, APPROVAL_ANNOTATIONS, STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { IMAGE_FINALIZERS } from '../../../api/preprovisioningimage/values.ts';
import { CLUSTER_ANNOTATIONS } from '../../../domain/cluster-api/names.ts';
import { identityOf } from '../../../domain/entity/seen.ts';
import { countedLabels } from '../../../domain/host/approval/policy.ts';
import type { HostSettings } from '../../../domain/host/memory/settings.ts';
import type { HostSnapshot } from '../../../domain/host/memory/snapshot.ts';
import { withoutRefused } from '../../../domain/host/steering/steerable.ts';
import { dataSecretsOf } from '../../../domain/ironic/deployment/data-secrets.ts';
import type { ImageFacts } from '../../../domain/preprovisioning/image.ts';
import { traitsOf } from '../../../domain/states/table.ts';
import { retryWish } from '../../../domain/steering/retry-wish.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { readObject } from '../../../kube/objects/any-object.ts';
import { carriedStatus } from '../../../kube/objects/carried-status.ts';
import { readDataImage } from '../../../kube/objects/dataimage.ts';
import { readHardwareData } from '../../../kube/objects/hardwaredata.ts';
import type { Metadata } from '../../../kube/objects/metadata.ts';
import { readPreprovisioningImage } from '../../../kube/objects/preprovisioningimage.ts';
import { sealedSpec, sealedStatus } from '../../../kube/objects/sealed-host.ts';
import { sealUrl } from '../../../kube/objects/sealed-urls.ts';
import { readSteeredHost } from '../../../kube/objects/steered-host.ts';
import { once } from '../../../kube/once.ts';
import { keyOf } from '../../../kube/reflector.ts';
import type { Entry, Stores } from '../../../kube/store.ts';
import type { Known, Unreadable, Unwritten } from '../../binding.ts';
import { messageText } from '../../digest.ts';
import { hostWritten } from './complete.ts';
import { failCountWritten } from './fail-count.ts';
import { sealedDrive } from './sealed.ts';

/** Large annotations stay out of snapshots: they are about the status, which the bridge writes. */
const OBSERVED_ANNOTATIONS: readonly string[] = [
  ANNOTATIONS.paused,
  ANNOTATIONS.detached,
  ANNOTATIONS.reboot,
  ANNOTATIONS.inspect,
  STEERING_ANNOTATIONS.quarantine,
  STEERING_ANNOTATIONS.abort,
  STEERING_ANNOTATIONS.retry,
  STEERING_ANNOTATIONS.forceDelete,
  CLUSTER_ANNOTATIONS.deleteForMove,
  ...Object.values(APPROVAL_ANNOTATIONS),
];

const parse = once(parseBareMetalHost);

type HostStores = Pick<Stores, 'get'>;

/** Builds the host's snapshot for its workflow. */
export function observeHost(
  entry: Entry,
  stores: HostStores,
  settings: HostSettings,
  { written, now, unwritten }: Known,
): HostSnapshot | Unreadable {
  const parsed = parse(entry.object);
  if (!parsed.ok) return { problems: parsed.problems };
  const { host } = parsed;
  const { metadata, spec } = host;
  const labels = countedLabels(asIfWritten(metadata.annotations ?? {}, unwritten), metadata.labels ?? {});
  const hardware = stores.get(KINDS.hardwareData, keyOf(metadata));
  const status = carriedStatus(host);
  const booked = hostWritten(written);
  const { status: shown } = readObject(entry.object);
  const annotations = withoutRefused(readSteeredHost(entry.object));
  const retry = retryWish(annotations);
  const count = failCountWritten(
    { status: shown, resourceVersion: entry.resourceVersion },
    written && booked && { ...written, failCount: booked.failCount, coming: booked.coming?.failCount },
    now,
  );
  return {
    ...identityOf(metadata),
    annotations: observedAnnotations(asIfWritten(annotations, unwritten)),
    ...(retry !== undefined && { retry: messageText(retry) }),
    ...(unwritten && { copyRefused: unwritten.refusal }),
    ...(labels !== undefined && { labels }),
    spec: sealedSpec(entry.uid, spec),
    settings,
    ...bmcSecretSeen(host, stores),
    ...networkSecretSeen(host, stores),
    ...dataSecretsSeen(host, stores),
    ...(settings.buildsPreprovisioningImages && imageSeen(host, entry.uid, stores)),
    ...dataImageSeen(host, entry.uid, stores),
    hasHardwareData: hardware !== undefined,
    hardwareArchitecture: hardware === undefined ? '' : readHardwareData(hardware.object).architecture,
    hasHardware: host.status?.hardware !== undefined,
    ...(count !== undefined && { failCountWritten: count }),
    ...(status !== undefined && { status: sealedStatus(entry.uid, status) }),
  };
}

type NotCompared = 'resourceVersion' | 'status' | 'hasHardware' | 'hasHardwareData';

/**
 * The part of a snapshot that the workflow uses. Fields that only the bridge writes are left out. A newly found
 * architecture counts only when the spec has it: a running inspection must not be interrupted by it.
 */
export function hostEssence(snapshot: HostSnapshot): Omit<HostSnapshot, NotCompared> {
  const { resourceVersion: _, status, hasHardware: __, hasHardwareData: ___, dataImage, ...rest } = snapshot;
  const isInspecting = traitsOf(status?.provisioning.state ?? '').work === 'inspect';
  const isToBeTold = !rest.spec.architecture && !isInspecting;
  const seen = { ...rest, hardwareArchitecture: isToBeTold ? rest.hardwareArchitecture : '' };
  if (dataImage === undefined) return seen;
  const { status: ____, ...asked } = dataImage;
  return { ...seen, dataImage: asked };
}

const versionOf = (stores: HostStores, namespace: string, name: string): string | null =>
  stores.get(KINDS.secret, keyOf({ namespace, name }))?.resourceVersion ?? null;

function bmcSecretSeen({ metadata, spec }: BareMetalHost, stores: HostStores): Pick<HostSnapshot, 'bmcSecret'> {
  const name = spec.bmc?.credentialsName;
  return name ? { bmcSecret: { name, resourceVersion: versionOf(stores, metadata.namespace, name) } } : {};
}

/** The Secret with the network configuration of the deploy agent. */
function networkSecretSeen(
  { metadata, spec: { preprovisioningNetworkDataName: name } }: BareMetalHost,
  stores: HostStores,
): Pick<HostSnapshot, 'preprovisioningNetworkData'> {
  if (!name) return {};
  return { preprovisioningNetworkData: { name, resourceVersion: versionOf(stores, metadata.namespace, name) } };
}

/** The Secrets that a deployment reads, which may have failed because of them. */
function dataSecretsSeen(
  { metadata: { namespace }, spec, status }: BareMetalHost,
  stores: HostStores,
): Pick<HostSnapshot, 'dataSecrets'> {
  if (!status?.errorType && !status?.provisioningFailCount) return {};
  const names = dataSecretsOf(spec);
  if (names.length === 0) return {};
  return { dataSecrets: names.map((name) => ({ name, resourceVersion: versionOf(stores, namespace, name) })) };
}

function imageSeen({ metadata }: BareMetalHost, uid: string, stores: HostStores): Pick<HostSnapshot, 'image'> {
  const entry = stores.get(KINDS.preprovisioningImage, keyOf(metadata));
  return entry === undefined ? {} : { image: toFacts(entry, { uid, labels: metadata.labels ?? {} }) };
}

function toFacts(entry: Entry, host: Pick<Metadata, 'uid' | 'labels'>): ImageFacts {
  const { metadata, spec, status } = readPreprovisioningImage(entry.object);
  const { generation, deletionTimestamp, finalizers, labels } = metadata;
  return {
    resourceVersion: entry.resourceVersion,
    generation,
    spec,
    status: {
      ...status,
      ...(status.imageUrl !== undefined && { imageUrl: sealUrl(host.uid, status.imageUrl) }),
      ...(status.kernelUrl !== undefined && { kernelUrl: sealUrl(host.uid, status.kernelUrl) }),
    },
    deleting: deletionTimestamp !== undefined,
    hasFinalizer: finalizers.includes(IMAGE_FINALIZERS.host),
    labelled: Object.entries(host.labels).every(([key, value]) => labels[key] === value),
  };
}

function dataImageSeen({ metadata }: BareMetalHost, uid: string, stores: HostStores): Pick<HostSnapshot, 'dataImage'> {
  const entry = stores.get(KINDS.dataImage, keyOf(metadata));
  if (entry === undefined) return {};
  const { metadata: meta, spec, status } = readDataImage(entry.object);
  const deleting = meta.deletionTimestamp !== undefined;
  return { dataImage: { uid: entry.uid, url: sealUrl(uid, spec.url), deleting, status: sealedDrive(uid, status) } };
}

type Annotations = Readonly<Record<string, string>>;

/** The annotations that the object would have if the policy did not forbid to write them. */
const asIfWritten = (annotations: Annotations, unwritten: Unwritten | undefined): Annotations =>
  Object.fromEntries(
    Object.entries({ ...annotations, ...unwritten?.annotations }).flatMap(([key, value]) =>
      value === null ? [] : [[key, value]],
    ),
  );

const observedAnnotations = (annotations: Annotations): Record<string, string> =>
  Object.fromEntries(
    Object.entries(annotations)
      .filter(([key]) => OBSERVED_ANNOTATIONS.includes(key) || key.startsWith(`${ANNOTATIONS.reboot}/`))
      .map(([key, value]) => [key, messageText(value)]),
  );
