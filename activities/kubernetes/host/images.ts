import type { PreprovisioningImageSpec } from '../../../api/preprovisioningimage/schema.ts';
import { IMAGE_FINALIZERS } from '../../../api/preprovisioningimage/values.ts';
import type { ImageOrder } from '../../../domain/ironic/orders.ts';
import { same } from '../../../domain/same.ts';
import { isAlreadyExists, isOvertaken, type Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { readHost } from '../../../kube/objects/baremetalhost.ts';
import { readPreprovisioningImage } from '../../../kube/objects/preprovisioningimage.ts';
import { collectionPath, hostPath, imagePath } from '../../../kube/paths.ts';
import { isForbiddenByPolicy, refusing } from '../refusal.ts';
import { hostOwner, markSecret, readSecret } from '../secrets.ts';

type Labels = Readonly<Record<string, string>>;

/**
 * Creates the PreprovisioningImage for which a host asks, or changes what differs; one that is being deleted is not
 * changed.
 */
export async function requestImage(
  kube: Kube,
  order: ImageOrder,
  defaultArchitecture: string,
  signal?: AbortSignal,
): Promise<void> {
  const labels = await labelsOf(kube, order);
  if (labels === undefined) return;
  const { desired } = order;
  if (desired.networkDataName) await claimNetworkData(kube, order, desired.networkDataName, signal);
  const spec = { ...desired, architecture: desired.architecture ?? defaultArchitecture };
  await refusing(() => whileContended(() => write(kube, order, spec, labels), isRaced), isForbiddenByPolicy);
}

/** The image was created, changed or deleted by another writer in between. */
const isRaced = (error: unknown): boolean => isOvertaken(error) || isAlreadyExists(error);

/**
 * The labels of the host. undefined: there is no host of this name, it is another one, or it names another Secret, or
 * none, with the network data of its deploy agent: only a message that is late or forged asks for a Secret that it does
 * not name.
 */
async function labelsOf(kube: Kube, { host, desired }: ImageOrder): Promise<Labels | undefined> {
  const found = await kube.find(hostPath(host));
  if (found === undefined) return undefined;
  const { metadata, agentNetworkData } = readHost(found);
  const isAsked = metadata.uid === host.uid && (desired.networkDataName ?? '') === agentNetworkData;
  return isAsked ? metadata.labels : undefined;
}

/** A Secret that does not exist yet is marked later, by the image builder and by the registration. */
async function claimNetworkData(
  kube: Kube,
  { host }: ImageOrder,
  name: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const found = await readSecret(kube, { namespace: host.namespace, name });
  if (found !== undefined) await markSecret(kube, found, { hold: true }, signal);
}

async function write(kube: Kube, { host }: ImageOrder, spec: PreprovisioningImageSpec, labels: Labels): Promise<void> {
  const { namespace, name } = host;
  const found = await kube.find(imagePath(host));
  if (found === undefined) {
    const owner = { ...hostOwner(host), controller: true, blockOwnerDeletion: true };
    const body = {
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'PreprovisioningImage',
      metadata: { namespace, name, labels, finalizers: [IMAGE_FINALIZERS.host], ownerReferences: [owner] },
      spec,
    };
    await kube.request({ method: 'POST', path: collectionPath(KINDS.preprovisioningImage, namespace), body });
    return;
  }
  const { metadata, ...current } = readPreprovisioningImage(found);
  if (metadata.deletionTimestamp !== undefined) return;
  const { finalizers, resourceVersion } = metadata;
  const missing = Object.entries(labels).filter(([key, value]) => metadata.labels[key] !== value);
  const change = {
    ...(!finalizers.includes(IMAGE_FINALIZERS.host) && { finalizers: [...finalizers, IMAGE_FINALIZERS.host] }),
    ...(missing.length > 0 && { labels: Object.fromEntries(missing) }),
  };
  const isWanted = same(current.spec, spec);
  if (Object.keys(change).length === 0 && isWanted) return;
  await kube.patch(imagePath(host), {
    metadata: { ...change, resourceVersion },
    // A merge patch removes only the fields that it names.
    ...(!isWanted && { spec: { networkDataName: null, ...spec } }),
  });
}
