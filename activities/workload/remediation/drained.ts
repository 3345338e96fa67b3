import { z } from 'zod';
import { maybeText, orEmpty } from '../../../api/meta/lenient.ts';
import { type Kube, KubeError } from '../../../kube/client.ts';
import { METADATA_ONLY } from '../../../kube/reflector.ts';

const PAGE = 100;
const MOST_ITEMS = 50_000;
const LONGEST_TOKEN = 4_096;
/** Time for all pages together. */
const LONGEST_MS = 30_000;
/** The page token was valid once: the list changed too much since. */
const EXPIRED = 410;

const page = z.object({
  items: z.array(z.unknown()).catch([]),
  metadata: orEmpty({ continue: maybeText }),
});
const pod = z.object({ metadata: z.object({ deletionTimestamp: z.string() }) });
const attachment = z.object({ spec: z.object({ nodeName: z.string() }) });

/** True when no Pod on the Node is being deleted, and no volume is attached to the Node. */
export async function isDrained(cluster: Kube, node: string, cancelled: AbortSignal): Promise<boolean> {
  const signal = AbortSignal.any([cancelled, AbortSignal.timeout(LONGEST_MS)]);
  // Of Pods only the metadata is read: with their specs and statuses, a page could be larger than an answer may be.
  const pods = { path: '/api/v1/pods', query: { fieldSelector: `spec.nodeName=${node}` }, accept: METADATA_ONLY.list };
  if (await holdsAny(cluster, { ...pods, signal }, (item) => pod.safeParse(item).success)) return false;
  const isOnNode = (item: unknown): boolean => attachment.safeParse(item).data?.spec.nodeName === node;
  return !(await holdsAny(cluster, { path: '/apis/storage.k8s.io/v1/volumeattachments', signal }, isOnNode));
}

/** True when any item of the list fits; also when the list does not end, or could not be read to its end. */
async function holdsAny(
  cluster: Kube,
  { query, ...list }: Parameters<Kube['request']>[0],
  fits: (item: unknown) => boolean,
): Promise<boolean> {
  let next: string | undefined;
  let left = MOST_ITEMS;
  for (let count = 1; count * PAGE <= MOST_ITEMS; count++) {
    const answer = await cluster
      .request({ ...list, query: { ...query, limit: PAGE, continue: next } })
      .catch((error: unknown) => {
        if (next !== undefined && error instanceof KubeError && error.status === EXPIRED) return undefined;
        throw error;
      });
    if (answer === undefined) return true;
    const { items, metadata } = page.parse(answer);
    left -= items.length;
    if (left < 0 || items.some(fits)) return true;
    next = metadata.continue || undefined;
    if (next === undefined) return false;
    if (next.length > LONGEST_TOKEN) return true;
  }
  return true;
}
