import { z } from 'zod';
import { PROVISIONING_STATES } from '../../../api/baremetalhost/values.ts';
import type { EntityView } from '../../../domain/entity/view.ts';
import { same } from '../../../domain/same.ts';
import { readObject } from '../../../kube/objects/any-object.ts';
import { sealUrl } from '../../../kube/objects/sealed-urls.ts';

const progress = z.object({
  provisioning: z
    .object({
      state: z.enum(PROVISIONING_STATES).catch(''),
      image: z.object({ url: z.string().catch('') }).catch({ url: '' }),
      customDeploy: z.object({ method: z.string().catch('') }).catch({ method: '' }),
    })
    .catch({ state: '', image: { url: '' }, customDeploy: { method: '' } }),
});
const times = z.object({ lastUpdated: z.string().catch('') });

/** The view has the URL without the secrets in it, the object with them. */
function progressOf(status: unknown, uid: string): z.infer<typeof progress>['provisioning'] {
  const { provisioning } = progress.parse(status);
  return { ...provisioning, image: { url: sealUrl(uid, provisioning.image.url) } };
}

/**
 * True when a BareMetalHost shows another progress than the view, and was written after the bridge had written the
 * last view of that run: Temporal's database was restored from a backup, or the run was reset. For a bridge that has
 * just started: it does not know its last write. A status that is older than the run's last written view was restored
 * with etcd. `lastUpdated` is in whole seconds: within the same one, the status was written after the view when its
 * state is another one.
 */
export function isOutdated(view: Pick<EntityView, 'status' | 'shownAt' | 'shownState'>, object: unknown): boolean {
  const { status, metadata } = readObject(object);
  const shown = progressOf(status, metadata.uid);
  if (shown.state === '' || same(shown, progressOf(view.status ?? {}, metadata.uid))) return false;
  if (view.shownAt === undefined) return true;
  const writtenIn = Math.floor(Date.parse(times.parse(status).lastUpdated) / 1_000);
  const shownIn = Math.floor(view.shownAt / 1_000);
  return writtenIn > shownIn || (writtenIn === shownIn && (view.shownState ?? shown.state) !== shown.state);
}
