import { mediaOf } from '../media/media.ts';
import type { HostMemory } from '../memory/memory.ts';
import type { HostView, MediaView } from './view.ts';

/** The view of a host. `gone` is true when the finalizer can be removed. */
export function toView(memory: HostMemory, run: string, gone = false): HostView {
  const { seen, retry } = memory;
  return {
    namespace: seen.namespace,
    name: seen.name,
    uid: seen.uid,
    run,
    revision: memory.revision,
    generation: seen.generation,
    finalizer: !gone,
    status: memory.status,
    hardwareInspected: memory.inspected,
    powerFault: memory.node?.fault === 'power failure',
    ...(memory.node?.health && { health: memory.node.health }),
    consumedAnnotations: memory.consumedAnnotations,
    events: memory.events,
    waitingFor: memory.waitingFor,
    ...mediaView(memory),
    ...(retry?.kind === 'at' && { retryAt: new Date(retry.at).toISOString() }),
  };
}

function mediaView(memory: HostMemory): { readonly media?: MediaView } {
  const media = mediaOf(memory);
  if (media === undefined) return {};
  const { uid, url, error, lastReconciled } = media;
  const status = { attachedImage: { url }, error, ...(lastReconciled !== undefined && { lastReconciled }) };
  return { media: { uid, status, release: memory.seen.dataImage?.deleting === true && url === '' } };
}
