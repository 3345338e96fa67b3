import type { Kube } from '../kube/client.ts';
import type { FollowedKind } from '../kube/kinds.ts';
import { eachListed } from '../kube/list-all.ts';
import { type Metadata, readMetadata } from '../kube/objects/metadata.ts';
import { collectionPath } from '../kube/paths.ts';
import { METADATA_ONLY } from '../kube/reflector.ts';

/** The metadata of all objects of a kind with these labels, page by page. */
export async function* listed(
  kube: Pick<Kube, 'request'>,
  kind: FollowedKind,
  namespace: string,
  options: { readonly labelSelector?: string | undefined; readonly signal?: AbortSignal },
): AsyncGenerator<Metadata> {
  const all = eachListed(kube, collectionPath(kind, namespace), { ...options, accept: METADATA_ONLY.list });
  for await (const item of all) yield readMetadata(item);
}
