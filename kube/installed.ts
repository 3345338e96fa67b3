import { z } from 'zod';
import { isNotFound, type Kube, KubeError } from './client.ts';
import { itemsOf } from './objects/metadata.ts';
import { collectionPath, objectPath, type Resource, versionPath } from './paths.ts';

type Asked = Pick<Kube, 'request'>;

/** The objects of a kind in a namespace; none when the kind is not installed. */
export async function listInstalled(kube: Asked, kind: Resource, namespace: string): Promise<readonly unknown[]> {
  const listed = kube.request({ path: collectionPath(kind, namespace) });
  return itemsOf((await ifInstalled(kube, kind, listed)) ?? { items: [] });
}

/** undefined when the object does not exist, or its kind is not installed. */
export const findInstalled = (kube: Asked, kind: Resource, ref: Parameters<typeof objectPath>[1]): Promise<unknown> =>
  ifInstalled(kube, kind, kube.request({ path: objectPath(kind, ref) }));

/** `answer`, or undefined when the object does not exist, or its kind is not installed. */
export async function ifInstalled<T>(kube: Asked, kind: Resource, answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error) || (saysNothingOf(error) && (await isNotInstalled(kube, kind)))) return undefined;
    throw error;
  }
}

/**
 * A load balancer answers with the same status as an API server that does not serve the kind. Who has no right to a
 * kind is refused also where it is not installed.
 */
const saysNothingOf = (error: unknown): boolean =>
  error instanceof KubeError && (error.status === 404 || error.status === 403);

/**
 * True only when the API server itself says that it does not serve the kind, in any version: of a kind that it serves
 * in another version there may be objects.
 */
export async function isNotInstalled(kube: Asked, { plural, apiVersion }: Resource): Promise<boolean> {
  if (!apiVersion.includes('/')) return false;
  try {
    const versions = await versionsOf(kube, apiVersion);
    if (!versions.includes(apiVersion)) return versions.length === 0;
    return !(await resourcesOf(kube, apiVersion)).some(({ name }) => name === plural);
  } catch {
    return false;
  }
}

/** The resource of a kind; undefined when the API server itself says that it does not serve it in this version. */
export async function resourceOf(
  kube: Asked,
  { apiVersion, kind }: { readonly apiVersion: string; readonly kind: string },
): Promise<Resource | undefined> {
  if (!(await versionsOf(kube, apiVersion)).includes(apiVersion)) return undefined;
  const resources = await resourcesOf(kube, apiVersion);
  const name = resources.find((each) => each.kind === kind && !each.name.includes('/'))?.name;
  return name === undefined ? undefined : { apiVersion, plural: name };
}

const groups = z.object({
  kind: z.literal('APIGroupList'),
  groups: z.array(z.object({ name: z.string(), versions: z.array(z.object({ groupVersion: z.string() })) })),
});

/** The versions of its group that are served; none when the group is not. The core group has no name and is not listed. */
async function versionsOf(kube: Asked, apiVersion: string): Promise<readonly string[]> {
  const [group] = apiVersion.split('/');
  const all = groups.parse(await kube.request({ path: '/apis' }));
  return all.groups
    .filter(({ name }) => name === group)
    .flatMap(({ versions }) => versions.map((each) => each.groupVersion));
}

const resources = z.object({
  kind: z.literal('APIResourceList'),
  groupVersion: z.string(),
  resources: z.array(z.object({ name: z.string(), kind: z.string() })),
});

async function resourcesOf(
  kube: Asked,
  apiVersion: string,
): Promise<readonly { readonly name: string; readonly kind: string }[]> {
  const answer = resources.parse(await kube.request({ path: versionPath({ apiVersion }) }));
  if (answer.groupVersion !== apiVersion) throw new Error(`asked for ${apiVersion}, got ${answer.groupVersion}`);
  return answer.resources;
}
