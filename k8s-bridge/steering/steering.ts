import type { Kube } from '../../kube/client.ts';
import type { MachineApiKind } from '../../kube/kinds.ts';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics/registry.ts';
import type { SteeringActivities } from '../../workflows/messages.ts';
import type { Binding } from '../binding.ts';
import { createAnnounce } from '../publish/announce.ts';
import { noteAnnotations } from './note-annotations.ts';
import { createSteeringActivities, type SteeringDeps } from './steer-object.ts';
import { STEERED_HOST, STEERED_MACHINE, steeredMachineApi } from './steered-kinds.ts';

type Note = NonNullable<Binding['note']>;

interface Steering {
  readonly activities: SteeringActivities;
  /** Adds entries to the list on an object for annotations that people have set without a message. */
  readonly noteHost: Note;
  readonly noteMachine: Note;
  readonly noteMachineApi: (kind: MachineApiKind) => Note;
}

/** Writes messages of people to the objects of hosts and machines. */
export function createSteering({
  kube,
  log,
  metrics,
  now,
}: {
  readonly kube: Kube;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly now: () => number;
}): Steering {
  const tell = createAnnounce({ kube, log, now });
  const announce: SteeringDeps['announce'] = (binding, object, event) => tell({ binding, object, event });
  const onAnnotationRefused = (message: string): void =>
    metrics.record({ name: 'temper_annotations_refused_total', labels: { message } });
  const deps = { kube, announce, now, onAnnotationRefused };
  return {
    activities: createSteeringActivities(deps),
    noteHost: (entry) => noteAnnotations(STEERED_HOST, entry, deps),
    noteMachine: (entry) => noteAnnotations(STEERED_MACHINE, entry, deps),
    noteMachineApi(kind) {
      const steered = steeredMachineApi(kind);
      return (entry) => noteAnnotations(steered, entry, deps);
    },
  };
}
