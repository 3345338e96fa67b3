import type { DataImageStatus } from '../../../api/dataimage/schema.ts';
import type { HostRecord } from '../../../domain/host/memory/host-record.ts';
import type { Writable } from '../../../kube/objects/any-object.ts';
import { imageUrlsOf, readHost } from '../../../kube/objects/baremetalhost.ts';
import { openedImage, openedUrl, sealUrl } from '../../../kube/objects/sealed-urls.ts';

/** The status has URLs of images with their secrets: the secrets are added when it is written. */
export const sealedDrive = (uid: string, status: DataImageStatus): DataImageStatus =>
  status.attachedImage === undefined
    ? status
    : { ...status, attachedImage: { ...status.attachedImage, url: sealUrl(uid, status.attachedImage.url) } };

/** A URL that the host does not have any more stays sealed. */
export function openedStatus(record: HostRecord, host: Writable): HostRecord {
  const { uid } = host.metadata;
  const urls = imageUrlsOf(readHost(host));
  const { lastAttemptedImage: attempted, provisioning } = record;
  return {
    ...record,
    ...(attempted !== undefined && { lastAttemptedImage: openedImage(uid, attempted, urls) }),
    provisioning: {
      ...provisioning,
      ...(provisioning.image !== undefined && { image: openedImage(uid, provisioning.image, urls) }),
    },
  };
}

export const openedDrive = (
  uid: string,
  status: DataImageStatus,
  { spec, status: shown }: { readonly spec: { readonly url: string }; readonly status: DataImageStatus },
): DataImageStatus => {
  const { attachedImage } = status;
  if (attachedImage === undefined) return status;
  const url = openedUrl(uid, attachedImage.url, [spec.url, shown.attachedImage?.url ?? '']) ?? attachedImage.url;
  return { ...status, attachedImage: { ...attachedImage, url } };
};
