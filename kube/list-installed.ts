import { type Kube, KubeError } from './client.ts';
import { itemsOf } from './objects/metadata.ts';
import { collectionPath, type Resource } from './paths.ts';

/** The objects of a kind in a namespace; none when the kind is not installed. */
export async function listInstalled(kube: Kube, kind: Resource, namespace: string): Promise<readonly unknown[]> {
  try {
    return itemsOf(await kube.request({ path: collectionPath(kind, namespace) }));
  } catch (error) {
    if (error instanceof KubeError && error.status === 404) return [];
    throw error;
  }
}
