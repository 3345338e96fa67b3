import { PROVISIONING_STATES } from '../../../api/baremetalhost/values.ts';
import { believed } from '../../../domain/clock.ts';
import type { EntityView } from '../../../domain/entity/view.ts';
import { same } from '../../../domain/same.ts';
import { type BareMetalHostRead, readHost } from '../../../kube/objects/baremetalhost.ts';
import { sealUrl } from '../../../kube/objects/sealed-urls.ts';

/** What is compared. The view has the image's URL without its secrets, the object has it with them. */
const progressOf = ({ metadata, status, provisioned }: BareMetalHostRead) => ({
  state: status.state,
  ...provisioned,
  imageUrl: sealUrl(metadata.uid, provisioned.imageUrl),
});

/**
 * True when a BareMetalHost shows another progress than the view, and was written after the bridge had written the last
 * view of that run: Temporal's database was restored from a backup, or the run was reset. Used by a bridge that has
 * just started, because it does not know its last write. A status that is older than the run's last written view was
 * restored with etcd. `lastUpdated` is in whole seconds: within the same one, the status was written after the view
 * when its state is another one.
 */
export function isOutdated(
  view: Pick<EntityView, 'shown' | 'shownAt' | 'shownState'>,
  object: unknown,
  now: number,
): boolean {
  const host = readHost(object);
  const shown = progressOf(host);
  const isKnown = shown.state !== '' && PROVISIONING_STATES.some((state) => state === shown.state);
  if (!isKnown || same(shown, progressOf(readHost({ metadata: host.metadata, status: view.shown.status }))))
    return false;
  if (view.shownAt === undefined) return true;
  const writtenIn = Math.floor(believed(Date.parse(host.lastUpdated), now) / 1_000);
  const shownIn = Math.floor(view.shownAt / 1_000);
  return writtenIn > shownIn || (writtenIn === shownIn && (view.shownState ?? shown.state) !== shown.state);
}
