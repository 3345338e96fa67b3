import { ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { DATA_IMAGE_FINALIZER } from '../../api/dataimage/kind.ts';
import type { Kube } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { mergePatch } from '../../kube/merge-patch.ts';
import { readObject } from '../../kube/objects/any-object.ts';
import { type DataImageRead, readDataImage } from '../../kube/objects/dataimage.ts';
import { dataImagePath } from '../../kube/paths.ts';
import { unlessGone } from '../../kube/remove.ts';
import type { Entry, Stores } from '../../kube/store.ts';
import { hostWritten } from '../bindings/baremetalhost/complete.ts';
import { isPausedOrMoved } from '../bindings/baremetalhost/resource.ts';
import { openedDrive } from '../bindings/baremetalhost/sealed.ts';
import type { Ledger } from '../ledger.ts';

export interface DataImageDeps {
  readonly kube: Kube;
  readonly stores: Pick<Stores, 'get'>;
  readonly ledger: Pick<Ledger, 'find'>;
}

/**
 * Keeps a DataImage while its image may be in the drive of its host, and shows what the host's workflow reports about
 * it. Uses the cached object: a conflict is thrown, and the DataImage is reconciled again.
 */
export function createKeepDataImage({ kube, stores, ledger }: DataImageDeps): (key: string) => Promise<void> {
  const change = async (image: DataImageRead, metadata: object): Promise<void> => {
    const { resourceVersion } = image.metadata;
    await kube.patch(dataImagePath(image.metadata), { metadata: { resourceVersion, ...metadata } });
  };

  const letGo = async (image: DataImageRead): Promise<void> => {
    const { finalizers } = image.metadata;
    if (!finalizers.includes(DATA_IMAGE_FINALIZER)) return;
    await change(image, { finalizers: finalizers.filter((each) => each !== DATA_IMAGE_FINALIZER) });
  };

  const keep = async (image: DataImageRead, host: Entry): Promise<void> => {
    const published = readObject(host.object);
    if (isPausedOrMoved(published)) return;
    const claim = claimOf(image, host);
    if (claim !== undefined) return change(image, claim);
    const told = hostWritten(ledger.find(host.uid)?.written)?.media;
    const media = told?.uid === image.metadata.uid ? told : undefined;
    const isDetached = published.metadata.annotations[ANNOTATIONS.detached] !== undefined;
    if (image.metadata.deletionTimestamp !== undefined && (isDetached || media?.release === true)) return letGo(image);
    const patch =
      media === undefined ? undefined : mergePatch(image.status, openedDrive(host.uid, media.status, image));
    if (patch === undefined) return;
    const { resourceVersion } = image.metadata;
    await kube.patch(`${dataImagePath(image.metadata)}/status`, { metadata: { resourceVersion }, status: patch });
  };

  return async (key) => {
    const entry = stores.get(KINDS.dataImage, key);
    if (entry === undefined) return;
    const image = readDataImage(entry.object);
    const host = stores.get(KINDS.host, key);
    // The DataImage may have been deleted in the meantime.
    await (host === undefined ? letGo(image) : keep(image, host)).catch(unlessGone);
  };
}

/** The missing metadata of a DataImage: it is owned by the host, and has a finalizer until its image is ejected. */
function claimOf({ metadata }: DataImageRead, { name, uid }: Entry): object | undefined {
  const { deletionTimestamp, finalizers, ownerReferences } = metadata;
  const isOwned = ownerReferences.some((owner) => owner.uid === uid);
  const isKept = deletionTimestamp !== undefined || finalizers.includes(DATA_IMAGE_FINALIZER);
  if (isOwned && isKept) return undefined;
  const owner = { apiVersion: KINDS.host.apiVersion, kind: KINDS.host.kind, name, uid };
  return {
    ...(!isOwned && { ownerReferences: [...ownerReferences, owner] }),
    ...(!isKept && { finalizers: [...finalizers, DATA_IMAGE_FINALIZER] }),
  };
}
