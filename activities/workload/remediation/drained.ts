import { z } from 'zod';
import { maybeText, orEmpty } from '../../../api/meta/lenient.ts';
import type { Kube } from '../../../kube/client.ts';

const PAGE = 500;
const MOST_PAGES = 100;

const page = z.object({
  items: z.array(z.unknown()).catch([]),
  metadata: orEmpty(z.object({ continue: maybeText })),
});
const pod = z.object({ metadata: z.object({ deletionTimestamp: z.string() }) });
const attachment = z.object({ spec: z.object({ nodeName: z.string() }) });

/** True when no Pod on the Node is being deleted, and no volume is attached to the Node. */
export async function isDrained(cluster: Kube, node: string): Promise<boolean> {
  const fieldSelector = `spec.nodeName=${node}`;
  const isLeaving = (item: unknown): boolean => pod.safeParse(item).success;
  if (await holdsAny(cluster, '/api/v1/pods', { fieldSelector }, isLeaving)) return false;
  const isOnNode = (item: unknown): boolean => attachment.safeParse(item).data?.spec.nodeName === node;
  return !(await holdsAny(cluster, '/apis/storage.k8s.io/v1/volumeattachments', {}, isOnNode));
}

/** True when any item of the list fits; also when the list does not end. */
async function holdsAny(
  cluster: Kube,
  path: string,
  query: Readonly<Record<string, string>>,
  fits: (item: unknown) => boolean,
): Promise<boolean> {
  let next: string | undefined;
  for (let count = 1; count <= MOST_PAGES; count++) {
    const { items, metadata } = page.parse(
      await cluster.request({ path, query: { ...query, limit: PAGE, continue: next } }),
    );
    if (items.some(fits)) return true;
    next = metadata.continue || undefined;
    if (next === undefined) return false;
  }
  return true;
}
