import { z } from 'zod';
import type { Kube } from '../kube/client.ts';
import type { FollowedKind } from '../kube/kinds.ts';
import { type Metadata, readMetadata } from '../kube/objects/metadata.ts';
import { collectionPath } from '../kube/paths.ts';
import { METADATA_ONLY } from '../kube/reflector.ts';

const PAGE_SIZE = 500;
/** A list of metadata without items has null. */
const page = z.object({
  metadata: z.object({ continue: z.string().optional() }),
  items: z.array(z.unknown()).nullish(),
});

/** The metadata of all objects of a kind with these labels, page by page. */
export async function* listed(
  kube: Pick<Kube, 'request'>,
  kind: FollowedKind,
  namespace: string,
  { labelSelector, signal }: { readonly labelSelector?: string | undefined; readonly signal?: AbortSignal },
): AsyncGenerator<Metadata> {
  let next: string | undefined;
  do {
    const query = { labelSelector, limit: PAGE_SIZE, continue: next };
    const path = collectionPath(kind, namespace);
    const { items, metadata } = page.parse(
      await kube.request({ path, query, accept: METADATA_ONLY.list, ...(signal && { signal }) }),
    );
    for (const item of items ?? []) yield readMetadata(item);
    next = metadata.continue || undefined;
  } while (next !== undefined);
}
