import { ANNOTATIONS } from '../api/baremetalhost/values.ts';
import { DATA_IMAGE_FINALIZER } from '../api/dataimage/values.ts';
import { isNotFound, type Kube } from '../kube/client.ts';
import { mergePatch } from '../kube/merge-patch.ts';
import { dataImagePath } from '../kube/paths.ts';
import type { Ledger } from './ledger.ts';
import { isPaused, readHost } from './resource.ts';
import type { Cluster, DataImageEntry, HostEntry } from './watch.ts';

export interface DataImageDeps {
  readonly kube: Kube;
  readonly cluster: Pick<Cluster, 'dataImage' | 'host'>;
  readonly ledger: Pick<Ledger, 'get'>;
}

/**
 * Keeps a DataImage as long as its medium may be in the drive of its host, and shows what the host's workflow tells of
 * it. Works on what the watch saw last: a conflict is thrown, and the DataImage is looked at anew.
 */
export function createKeepDataImage({ kube, cluster, ledger }: DataImageDeps): (key: string) => Promise<void> {
  const change = async (image: DataImageEntry, metadata: object): Promise<void> => {
    const { resourceVersion } = image;
    await kube.patch(dataImagePath(image), { metadata: { resourceVersion, ...metadata } });
  };

  const letGo = async (image: DataImageEntry): Promise<void> => {
    if (!image.finalizers.includes(DATA_IMAGE_FINALIZER)) return;
    await change(image, { finalizers: image.finalizers.filter((each) => each !== DATA_IMAGE_FINALIZER) });
  };

  const keep = async (image: DataImageEntry, host: HostEntry): Promise<void> => {
    const published = readHost(host.object);
    const { annotations = {} } = published.metadata;
    if (isPaused(published)) return;
    const claim = claimOf(image, host);
    if (claim !== undefined) return change(image, claim);
    const told = ledger.get(host.uid)?.media;
    const media = told?.uid === image.uid ? told : undefined;
    const isDetached = annotations[ANNOTATIONS.detached] !== undefined;
    if (image.deleting && (isDetached || media?.release === true)) return letGo(image);
    const patch = media === undefined ? undefined : mergePatch(image.status, media.status);
    if (patch === undefined) return;
    const { resourceVersion } = image;
    await kube.patch(`${dataImagePath(image)}/status`, { metadata: { resourceVersion }, status: patch });
  };

  return async (key) => {
    const image = cluster.dataImage(key);
    if (image === undefined) return;
    const host = cluster.host(key);
    try {
      await (host === undefined ? letGo(image) : keep(image, host));
    } catch (error) {
      // Gone in between.
      if (!isNotFound(error)) throw error;
    }
  };
}

/** Collected with the host, and kept until its medium is out. */
function claimOf(image: DataImageEntry, { name, uid }: HostEntry): object | undefined {
  const isOwned = image.owners.some((owner) => owner.uid === uid);
  const isKept = image.deleting || image.finalizers.includes(DATA_IMAGE_FINALIZER);
  if (isOwned && isKept) return undefined;
  const owner = { apiVersion: 'metal3.io/v1alpha1', kind: 'BareMetalHost', name, uid };
  return {
    ...(!isOwned && { ownerReferences: [...image.owners, owner] }),
    ...(!isKept && { finalizers: [...image.finalizers, DATA_IMAGE_FINALIZER] }),
  };
}
