import { z } from 'zod';
import { type Kube, KubeError } from './client.ts';
import { itemsOf } from './objects/metadata.ts';
import { collectionPath, objectPath, type Resource, versionPath } from './paths.ts';

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

/**
 * The same for a person, who may have no right to the kind: the API server refuses objects of all kinds to which there
 * is no right, also of those that are not installed. Everybody may ask which kinds these are.
 */
export async function ifInstalledFor<T>(
  kube: Pick<Kube, 'request'>,
  kind: Resource,
  answer: Promise<T>,
): Promise<T | undefined> {
  try {
    return await ifInstalled(answer);
  } catch (error) {
    if (error instanceof KubeError && error.status === 403 && !(await isServed(kube, kind))) return undefined;
    throw error;
  }
}

const version = z.object({ resources: z.array(z.object({ name: z.string() })) });

/** True also when the API server does not say. */
async function isServed(kube: Pick<Kube, 'request'>, kind: Resource): Promise<boolean> {
  try {
    const { resources } = version.parse(await kube.request({ path: versionPath(kind) }));
    return resources.some(({ name }) => name === kind.plural);
  } catch (error) {
    return !(error instanceof KubeError && error.status === 404);
  }
}
