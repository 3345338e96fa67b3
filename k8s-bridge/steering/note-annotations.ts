import { STEERING_ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { toSeconds } from '../../domain/entity/conditions.ts';
import { same } from '../../domain/same.ts';
import { historyOf, historyValue, settledHistory } from '../../domain/steering/history.ts';
import { KubeError } from '../../kube/client.ts';
import { readMetadata } from '../../kube/objects/metadata.ts';
import { objectPath } from '../../kube/paths.ts';
import type { Entry } from '../../kube/store.ts';
import { asEvent, type SteeringDeps } from './steer-object.ts';
import type { SteeredKind } from './steered-kinds.ts';

/**
 * Adds entries to the list on an object for annotations that people have set or removed without a message. Level-based:
 * writes nothing when the list is complete.
 */
export async function noteAnnotations(
  kind: Omit<SteeredKind<never, never>, 'read'>,
  { object }: Entry,
  { kube, announce, now }: SteeringDeps,
): Promise<void> {
  const metadata = readMetadata(object);
  const { namespace, name, uid, resourceVersion, annotations } = metadata;
  const known = historyOf(annotations);
  const settled = settledHistory(annotations, toSeconds(now()), kind.steerable.followed);
  if (kind.isLeftAlone(metadata) || same(settled, known)) return;
  const ref = { namespace, name, uid };
  try {
    await kube.patch(objectPath(kind.followed, ref), {
      metadata: { resourceVersion, annotations: { [STEERING_ANNOTATIONS.history]: historyValue(settled) } },
    });
  } catch (error) {
    // After a conflict, the newer object is reconciled. When a policy forbids to write the list, the object is
    // reconciled without it.
    if (error instanceof KubeError && error.status >= 400 && error.status < 500) return;
    throw error;
  }
  const isNew = (entry: (typeof settled)[number]): boolean =>
    !known.some(({ at, what, reason }) => at === entry.at && what === entry.what && reason === entry.reason);
  for (const entry of settled.filter(isNew)) await announce(kind, ref, asEvent(entry));
}
