import type { PreprovisioningImageSpec, PreprovisioningImageStatus } from '../../api/preprovisioningimage/schema.ts';
import { IMAGE_CONDITIONS, type ImageFormat } from '../../api/preprovisioningimage/values.ts';

/** An image with the deploy agent that is ready to boot. */
export interface AgentImage {
  readonly format: ImageFormat;
  readonly url: string;
  /** For an initrd; when absent, the operator's own kernel is used. */
  readonly kernelUrl?: string;
  readonly extraKernelParams?: string;
}

/**
 * The image that a host needs. The Secret is given by name only; for an unknown architecture the operator's own is
 * used.
 */
export interface ImageWish {
  readonly networkDataName?: string;
  readonly architecture?: string;
  readonly acceptFormats: readonly ImageFormat[];
}

/** A PreprovisioningImage as the bridge last saw it. */
export interface ImageFacts {
  readonly resourceVersion: string;
  readonly generation: number;
  readonly spec: PreprovisioningImageSpec;
  readonly status: PreprovisioningImageStatus;
  /** Its deletion was requested. */
  readonly deleting: boolean;
  /** It has the finalizer of its host. */
  readonly hasFinalizer: boolean;
  /** It has all labels of its host. */
  readonly labelled: boolean;
}

export type ImageVerdict =
  | { readonly kind: 'usable'; readonly image: AgentImage }
  /** Its builder reports that it cannot be built. */
  | { readonly kind: 'broken'; readonly message: string }
  | { readonly kind: 'pending' };

const PENDING: ImageVerdict = { kind: 'pending' };

/**
 * Whether the image can be booted. An image that is being deleted while its host keeps it is used as it is. Any other
 * image must be built from its current spec and the current network data (resourceVersion).
 */
export function verdictOn(image: ImageFacts, networkDataVersion: string | null): ImageVerdict {
  const { spec, status, deleting, hasFinalizer, generation } = image;
  if (deleting && !hasFinalizer) return PENDING;
  const built = builtImage(status);
  if (deleting && built !== undefined) return { kind: 'usable', image: built };
  if ((status.architecture ?? '') !== (spec.architecture ?? '')) return PENDING;
  if (status.format === undefined || !spec.acceptFormats?.includes(status.format)) return PENDING;
  if ((status.networkData?.name ?? '') !== (spec.networkDataName ?? '')) return PENDING;
  if (spec.networkDataName && status.networkData?.version !== networkDataVersion) return PENDING;
  const condition = (type: string) => status.conditions?.find((each) => each.type === type);
  const error = condition(IMAGE_CONDITIONS.error);
  if (error?.status === 'True') return { kind: 'broken', message: error.message };
  const ready = condition(IMAGE_CONDITIONS.ready);
  const isReady = ready?.status === 'True' && ready.observedGeneration === generation;
  return isReady && built !== undefined ? { kind: 'usable', image: built } : PENDING;
}

/** The image that is built, whether or not its host may boot it; undefined when there is none. */
export function builtImage({
  format,
  imageUrl,
  kernelUrl,
  extraKernelParams,
}: PreprovisioningImageStatus): AgentImage | undefined {
  if (format === undefined || !imageUrl) return undefined;
  return { format, url: imageUrl, ...(kernelUrl && { kernelUrl }), ...(extraKernelParams && { extraKernelParams }) };
}

/** True when the object requests what the host needs. An object that is being deleted is not changed. */
export const asksFor = ({ spec, deleting, hasFinalizer, labelled }: ImageFacts, wish: ImageWish): boolean =>
  deleting ||
  (hasFinalizer &&
    labelled &&
    (spec.networkDataName ?? '') === (wish.networkDataName ?? '') &&
    (wish.architecture === undefined || spec.architecture === wish.architecture) &&
    wish.acceptFormats.join() === (spec.acceptFormats ?? []).join());
