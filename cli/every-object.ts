import { type Kube, KubeError } from '../kube/client.ts';
import { isNotInstalled } from '../kube/installed.ts';
import { type FollowedKind, kindInApi } from '../kube/kinds.ts';
import { eachListed } from '../kube/list-all.ts';
import { collectionPath } from '../kube/paths.ts';
import { METADATA_ONLY } from '../kube/reflector.ts';

export interface Looking {
  readonly kube: Pick<Kube, 'request'>;
  /** undefined: all namespaces. */
  readonly namespace: string | undefined;
  /** Called with the kinds that could not be listed, and why. */
  readonly note: (why: string) => void;
}

/**
 * All objects of a kind, page by page, so that a page is all that is kept of a large fleet; none where the kind is not
 * installed. Throws when the API server cannot be reached.
 */
export async function* everyObject(
  { kube, namespace, note }: Looking,
  kind: FollowedKind,
  of: 'whole objects' | 'metadata' = 'whole objects',
): AsyncGenerator<unknown> {
  try {
    const options = of === 'metadata' ? { accept: METADATA_ONLY.list } : {};
    yield* eachListed(kube, collectionPath(kind, namespace), options);
  } catch (error) {
    if (!(error instanceof KubeError) || error.status === 0) throw error;
    if ([403, 404].includes(error.status) && (await isNotInstalled(kube, kind))) return;
    const where = namespace === undefined ? 'all namespaces' : `namespace ${namespace}`;
    note(`${kindInApi(kind)}s of ${where}: ${error.words}`);
  }
}
