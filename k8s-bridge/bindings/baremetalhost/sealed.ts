import { z } from 'zod';
import type { DataImageStatus } from '../../../api/dataimage/types.ts';
import type { HostRecord } from '../../../domain/host/memory/host-record.ts';
import type { Writable } from '../../../kube/objects/any-object.ts';
import { openedImage, openedUrl, sealUrl } from '../../../kube/objects/sealed-urls.ts';

/** The status repeats URLs of images with the secrets in them: they are added when it is written. */
export const sealedDrive = (uid: string, status: DataImageStatus): DataImageStatus =>
  status.attachedImage === undefined
    ? status
    : { ...status, attachedImage: { ...status.attachedImage, url: sealUrl(uid, status.attachedImage.url) } };

const anyImage = z.object({ url: z.string(), checksum: z.string().optional().catch(undefined) });
const image = anyImage.optional().catch(undefined);
const images = z.object({
  spec: z.object({ image }).catch({}),
  status: z
    .object({ lastAttemptedImage: image, provisioning: z.object({ image }).optional().catch(undefined) })
    .catch({}),
});

/** The URLs of images that the host has, in its spec and in its status. */
function urlsOf(host: Pick<Writable, 'spec' | 'status'>): readonly string[] {
  const { spec, status } = images.parse(host);
  return [spec.image, status.provisioning?.image, status.lastAttemptedImage].flatMap((one) =>
    one === undefined ? [] : [one.url, one.checksum ?? ''],
  );
}

/** A URL that the host does not have any more stays sealed. */
export function openedStatus(record: HostRecord, host: Pick<Writable, 'metadata' | 'spec' | 'status'>): HostRecord {
  const { uid } = host.metadata;
  const urls = urlsOf(host);
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
