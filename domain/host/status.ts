import type { HostMemory } from './memory.ts';
import type { HostView } from './view.ts';

/** What the host's CR should say. `gone` is true once the finalizer may go. */
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
    ...(retry?.kind === 'at' && { retryAt: new Date(retry.at).toISOString() }),
  };
}
