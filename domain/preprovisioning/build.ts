import type { StoredCondition } from '../../api/meta/conditions.ts';
import type { PreprovisioningImageSpec, PreprovisioningImageStatus } from '../../api/preprovisioningimage/schema.ts';
import { IMAGE_CONDITIONS, IMAGE_REASONS, type ImageReason } from '../../api/preprovisioningimage/values.ts';
import { same } from '../same.ts';
import { type AgentUrls, chosenFormat, imageFor } from './urls.ts';

/** A PreprovisioningImage to fill in. */
export interface ImageToBuild {
  readonly generation: number;
  readonly spec: PreprovisioningImageSpec;
  readonly status: PreprovisioningImageStatus;
  /** resourceVersion of the Secret named in the spec; null when it does not exist. */
  readonly networkDataVersion: string | null;
}

/**
 * The next status of the image, from the operator's ready-made images. The caller repeats it with the result until
 * nothing changes: an outdated image is first shown as not ready, so that no host boots it meanwhile. `now` in ms.
 */
export function nextStatus(image: ImageToBuild, urls: AgentUrls, now: number): PreprovisioningImageStatus {
  const { spec, status, networkDataVersion } = image;
  const format = chosenFormat(urls, spec);
  if (format === undefined) {
    return failed(image, IMAGE_REASONS.configuration, 'No acceptable image format supported', now);
  }
  if (spec.networkDataName && networkDataVersion === null) {
    return failed(image, IMAGE_REASONS.missingNetworkData, 'NetworkData secret not found', now);
  }
  const networkData = spec.networkDataName ? { name: spec.networkDataName, version: networkDataVersion ?? '' } : {};
  const architecture = spec.architecture ?? '';
  const isAsWanted =
    status.format === format &&
    (status.architecture ?? '') === architecture &&
    same(status.networkData ?? {}, networkData);
  const known = { format, architecture, networkData };
  if (isAsWanted) {
    const { url, kernelUrl } = imageFor(urls, format, architecture);
    return built(image, { ...known, imageUrl: url, ...(kernelUrl && { kernelUrl }) }, 'Generated image', now);
  }
  const ready = status.conditions?.find(({ type }) => type === IMAGE_CONDITIONS.ready);
  if (ready?.status === 'True') {
    return { ...status, conditions: withReady(image, 'False', IMAGE_REASONS.success, CHANGED, now) };
  }
  return built(image, known, CHANGED, now);
}

const CHANGED = 'Config changed';

function built(
  image: ImageToBuild,
  status: PreprovisioningImageStatus,
  message: string,
  now: number,
): PreprovisioningImageStatus {
  const reason = IMAGE_REASONS.success;
  const conditions = withReady(image, status.imageUrl ? 'True' : 'False', reason, message, now);
  return {
    ...status,
    conditions: withClaim(conditions, image, claim(IMAGE_CONDITIONS.error, 'False', reason, ''), now),
  };
}

/** An image without a URL is not booted. */
function failed(image: ImageToBuild, reason: ImageReason, message: string, now: number): PreprovisioningImageStatus {
  const { imageUrl: _, ...status } = image.status;
  const conditions = withReady(image, 'False', reason, '', now);
  return {
    ...status,
    conditions: withClaim(conditions, image, claim(IMAGE_CONDITIONS.error, 'True', reason, message), now),
  };
}

type Claim = Pick<StoredCondition, 'type' | 'status' | 'reason' | 'message'>;

const claim = (type: string, status: Claim['status'], reason: ImageReason, message: string): Claim => ({
  type,
  status,
  reason,
  message,
});

const withReady = (
  image: ImageToBuild,
  status: Claim['status'],
  reason: ImageReason,
  message: string,
  now: number,
): readonly StoredCondition[] =>
  withClaim(image.status.conditions ?? [], image, claim(IMAGE_CONDITIONS.ready, status, reason, message), now);

/** The condition is replaced in place; its time moves only with its status. */
function withClaim(
  conditions: readonly StoredCondition[],
  { generation }: ImageToBuild,
  next: Claim,
  now: number,
): readonly StoredCondition[] {
  const before = conditions.find(({ type }) => type === next.type);
  const lastTransitionTime =
    before?.status === next.status ? before.lastTransitionTime : new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
  const condition = { ...next, lastTransitionTime, observedGeneration: generation };
  return before === undefined
    ? [...conditions, condition]
    : conditions.map((each) => (each.type === next.type ? condition : each));
}
