import { hasCome } from '../../clock.ts';
import type { MediaOrder } from '../../ironic/orders.ts';
import { nodeRef } from '../guards.ts';
import type { MediaRecord } from '../memory/media-record.ts';
import type { HostMemory } from '../memory/memory.ts';
import { backoff, LONGEST_BACKOFF_MS } from '../outcome/backoff.ts';
import type { Chance } from '../outcome/failure.ts';
import type { HostOutcome, HostStep } from '../step.ts';

const NO_ERROR = { count: 0, message: '' };
const SHORTEST_RETRY_MS = 30_000;

/** undefined without a DataImage. */
export function mediaOf({ seen: { dataImage }, media }: HostMemory): MediaRecord | undefined {
  if (dataImage === undefined) return undefined;
  if (media?.uid === dataImage.uid) return media;
  const { attachedImage, error = NO_ERROR, lastReconciled } = dataImage.status ?? {};
  return {
    uid: dataImage.uid,
    url: attachedImage?.url ?? '',
    error,
    ...(lastReconciled !== undefined && { lastReconciled }),
  };
}

/** URL of the desired image: '' for none. */
const wantedUrl = ({ seen: { dataImage } }: HostMemory): string =>
  dataImage === undefined || dataImage.deleting ? '' : dataImage.url;

/** Puts changes of the drive of a host in use before it is powered on. */
export function mediaFirst(memory: HostMemory, step: HostStep, now: number): HostStep {
  const isPowerOn = step.kind === 'act' && step.action.name === 'power' && step.action.order.on;
  if (isPowerOn && memory.node?.poweredOn === false) return mediaBeforePowerOn(memory, now) ?? step;
  return lookedFor(memory, step);
}

/** The drive of a host in use is changed only while the host is off and about to be powered on. */
function mediaBeforePowerOn(memory: HostMemory, now: number): HostStep | undefined {
  const media = mediaOf(memory);
  if (media === undefined) return undefined;
  const wanted = wantedUrl(memory);
  if (memory.finished?.name === 'media' && media.url === wanted) return undefined;
  const { retry, error } = media;
  if (retry !== undefined && retry.url === wanted && !hasCome(retry.at, now, LONGEST_BACKOFF_MS)) {
    return {
      kind: 'wait',
      reason: `waiting to change the virtual drive again after ${error.message}`,
      cause: `virtual drive: ${error.message}`,
      until: retry.at,
    };
  }
  return change(memory, media, wanted);
}

/**
 * A deprovisioning, for example, may have removed the medium. For a DataImage that is being deleted, a parked host has
 * the drive read once in each provisioning state.
 */
export function lookedFor(memory: HostMemory, step: HostStep): HostStep {
  const media = mediaOf(memory);
  const isWaiting = memory.seen.dataImage?.deleting === true && media !== undefined && mayHoldMedium(memory);
  const isOpen = step.kind === 'wait' && memory.node !== null && media?.lookedIn !== placeOf(memory);
  return isWaiting && isOpen ? change(memory, media, null) : step;
}

/**
 * A medium may be in the drive. A run that begins anew does not know whether an earlier one has asked for an insertion,
 * so that the drive is looked into once; there is none without a node.
 */
export function mayHoldMedium(memory: HostMemory): boolean {
  const media = mediaOf(memory);
  if (media === undefined) return false;
  const isLookedInto = memory.media?.uid === media.uid || memory.status.provisioning.ID === '';
  return media.url !== '' || media.holdsUnknown === true || !isLookedInto;
}

const change = (memory: HostMemory, { url }: MediaRecord, desired: string | null): HostStep => ({
  kind: 'act',
  action: { name: 'media', order: { ...nodeRef(memory), desired, attached: url, requested: null } },
});

/** Another one after each inspection, deployment and deprovisioning. */
const placeOf = ({ status: { provisioning, operationHistory } }: HostMemory): string =>
  [provisioning.state, ...Object.values(operationHistory).map((entry) => entry?.start ?? '')].join('/');

/** Records the result. Errors of the drive are not errors of the host. */
export function recordMedia(
  memory: HostMemory,
  { desired }: MediaOrder,
  outcome: HostOutcome & { readonly kind: 'done' | 'failed' },
  { now, dice }: Chance,
): HostMemory {
  const before = mediaOf(memory);
  if (before === undefined) return memory;
  const { retry: _, holdsUnknown: _1, ...known } = before;
  const media = {
    ...known,
    url: outcome.attached ?? known.url,
    lastReconciled: `${new Date(now).toISOString().slice(0, 19)}Z`,
    ...(outcome.kind === 'done' && outcome.holdsUnknown && { holdsUnknown: true as const }),
    ...(desired === null && { lookedIn: placeOf(memory) }),
  };
  if (outcome.kind === 'done') {
    const changed = { ...memory, media: { ...media, error: NO_ERROR } };
    return desired === null ? changed : { ...changed, finished: { name: 'media' } };
  }
  const count = before.error.count + 1;
  const at = now + Math.max(SHORTEST_RETRY_MS, backoff(count, dice));
  return {
    ...memory,
    media: {
      ...media,
      error: { count, message: outcome.message },
      ...(desired !== null && { retry: { url: desired, at } }),
    },
  };
}
