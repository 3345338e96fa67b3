import { type Kube, KubeError } from './client.ts';
import { itemsOf } from './objects/metadata.ts';
import { collectionPath, objectPath, type Resource } from './paths.ts';

/** The objects of a kind in a namespace; none when the kind is not installed. */
export async function listInstalled(kube: Kube, kind: Resource, namespace: string): Promise<readonly unknown[]> {
  return itemsOf((await ifInstalled(kube.request({ path: collectionPath(kind, namespace) }))) ?? { items: [] });
}

/** undefined when the object does not exist, or its kind is not installed. */
export const findInstalled = (kube: Kube, kind: Resource, ref: Parameters<typeof objectPath>[1]): Promise<unknown> =>
  ifInstalled(kube.request({ path: objectPath(kind, ref) }));

/** undefined when the API server knows no such object, or no such kind. */
export async function ifInstalled<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof KubeError && error.status === 404) return undefined;
    throw error;
  }
}
