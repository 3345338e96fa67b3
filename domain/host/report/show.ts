import { STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import type { Shown } from '../../entity/view.ts';
import { mayHoldMedium, mediaOf } from '../media/media.ts';
import type { HostRecord } from '../memory/host-record.ts';
import type { HostMemory } from '../memory/memory.ts';
import { hostConditions } from './conditions.ts';
import type { HostOfKind, MediaView } from './view.ts';

/** What the BareMetalHost should show. */
export function show(memory: HostMemory): Shown {
  const agentNetwork = memory.registration?.network?.name;
  const ofKind: HostOfKind = {
    hardwareInspected: memory.inspected,
    ...(agentNetwork !== undefined && { agentNetwork }),
    ...steeredView(memory),
    ...mediaView(memory),
  };
  return {
    finalizer: true,
    annotations: Object.fromEntries(memory.consumedAnnotations.map((key) => [key, null])),
    ...retryTaken(memory),
    status: { ...memory.status, provisioning: provisioningOf(memory) },
    conditions: hostConditions(memory),
    timed: true,
    state: memory.status.provisioning.state,
    events: memory.events,
    ofKind: { ...ofKind },
  };
}

const retryTaken = ({ consumedAnnotations, seen: { retry } }: HostMemory): Pick<Shown, 'retryTaken'> =>
  retry !== undefined && consumedAnnotations.includes(STEERING_ANNOTATIONS.retry) ? { retryTaken: retry } : {};

/** Volumes that a preparation is changing are not shown. */
function provisioningOf({ status: { provisioning }, isPreparationUnsure }: HostMemory): HostRecord['provisioning'] {
  if (!isPreparationUnsure) return provisioning;
  const { raid: _, ...known } = provisioning;
  return known;
}

const steeredView = ({ steered }: HostMemory): Pick<HostOfKind, 'steered'> =>
  steered === undefined ? {} : { steered };

function mediaView(memory: HostMemory): { readonly media?: MediaView } {
  const media = mediaOf(memory);
  if (media === undefined) return {};
  const { uid, url, error, lastReconciled } = media;
  const status = { attachedImage: { url }, error, ...(lastReconciled !== undefined && { lastReconciled }) };
  return { media: { uid, status, release: memory.seen.dataImage?.deleting === true && !mayHoldMedium(memory) } };
}
