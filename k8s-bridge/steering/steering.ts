import { STEERING_ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { toSeconds } from '../../domain/entity/conditions.ts';
import { same } from '../../domain/same.ts';
import { type HistoryEntry, historyOf, historyValue, settledHistory } from '../../domain/steering/history.ts';
import { judged } from '../../domain/steering/judged.ts';
import { KubeError } from '../../kube/client.ts';
import type { MachineApiKind } from '../../kube/kinds.ts';
import { type Metadata, readMetadata } from '../../kube/objects/metadata.ts';
import { objectPath } from '../../kube/paths.ts';
import type { Entry } from '../../kube/store.ts';
import type { Metrics } from '../../platform/metrics/registry.ts';
import type { SteeringActivities } from '../../workflows/messages.ts';
import type { Binding } from '../binding.ts';
import { type AnnounceDeps, createAnnounce } from '../publish/announce.ts';
import { asEvent, createSteeringActivities, type SteeringDeps } from './steer-object.ts';
import { STEERED_HOST, STEERED_MACHINE, type SteeredKind, steeredMachineApi } from './steered-kinds.ts';

type Note = NonNullable<Binding['note']>;

export interface Steering {
  readonly activities: SteeringActivities;
  /** Adds entries to the list on an object for annotations that people have set without a message. */
  readonly noteHost: Note;
  readonly noteMachine: Note;
  readonly noteMachineApi: (kind: MachineApiKind) => Note;
}

/** Writes messages of people to the objects of hosts and machines. */
export function createSteering(around: AnnounceDeps & { readonly metrics: Metrics }): Steering {
  const { kube, metrics, now } = around;
  const tell = createAnnounce(around);
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

/**
 * Adds entries to the list on an object for annotations that people have set or removed without a message, and removes
 * annotations that are refused as the message would be. Level-based: writes nothing when the list is complete.
 */
export async function noteAnnotations<Facts extends Pick<Metadata, 'annotations'>>(
  kind: Omit<SteeredKind<Facts, never>, 'read'>,
  { object }: Entry,
  { kube, announce, now, onAnnotationRefused }: SteeringDeps,
): Promise<'written' | undefined> {
  const metadata = readMetadata(object);
  const { namespace, name, uid, resourceVersion, annotations } = metadata;
  const { steerable, readShown } = kind;
  const known = historyOf(annotations);
  const settled = settledHistory(annotations, toSeconds(now()), steerable.followed);
  if (kind.isLeftAlone(object) || same(settled, known)) return undefined;
  const facts = readShown?.(object);
  const { entries, refused } =
    facts === undefined ? { entries: settled, refused: [] } : judged(settled, facts, steerable);
  const ref = { namespace, name, uid };
  const removed = Object.fromEntries(refused.map((key) => [key, null]));
  let after: unknown;
  try {
    after = await kube.patch(objectPath(kind.followed, ref), {
      metadata: {
        resourceVersion,
        annotations: { ...removed, [STEERING_ANNOTATIONS.history]: historyValue(entries) },
      },
    });
  } catch (error) {
    // When a policy forbids to write the list, the object is reconciled without it.
    if (error instanceof KubeError && error.status >= 400 && error.status < 500)
      return error.status === CONFLICT ? 'written' : undefined;
    throw error;
  }
  const isNew = (entry: HistoryEntry): boolean =>
    !known.some(({ at, what, reason }) => at === entry.at && what === entry.what && reason === entry.reason);
  for (const entry of entries.filter(isNew)) {
    if (entry.refused !== undefined) onAnnotationRefused(entry.what);
    await announce(kind, ref, asEvent(entry));
  }
  // A policy may have taken the list out of the patch, so that nothing was left of it.
  return readMetadata(after).resourceVersion === resourceVersion ? undefined : 'written';
}

/** The status code for a patch of an object that has changed: the newer object is reconciled. */
const CONFLICT = 409;
