import { z } from 'zod';
import { connectKube, type Kube } from '../../kube/client.ts';
import { collectionPath, objectPath } from '../../kube/paths.ts';
import type { Manifest } from './manifest.ts';

/** Closes the connection when the work is done. */
export async function withKube<T>(kubeconfig: string, work: (kube: Kube) => Promise<T>): Promise<T> {
  const kube = connectKube(kubeconfig);
  try {
    return await work(kube);
  } finally {
    await kube.close();
  }
}

/** The field manager of the lab's own writes, which admission skips. */
const FIELD_MANAGER = 'temper-lab';

export const createObject = (kube: Kube, path: string, body: object): Promise<unknown> =>
  kube.request({ method: 'POST', path, query: { fieldManager: FIELD_MANAGER }, body });

export const patchObject = (kube: Kube, path: string, body: object): Promise<unknown> =>
  kube.request({
    method: 'PATCH',
    path,
    query: { fieldManager: FIELD_MANAGER },
    contentType: 'application/merge-patch+json',
    body,
  });

/** Server-side apply that takes over the fields of others. */
export const applyObject = (kube: Kube, path: string, body: object): Promise<unknown> =>
  kube.request({
    method: 'PATCH',
    path,
    query: { fieldManager: FIELD_MANAGER, force: true },
    contentType: 'application/apply-patch+yaml',
    body,
  });

const resourcesSchema = z.object({
  resources: z.array(z.object({ name: z.string(), kind: z.string(), namespaced: z.boolean() })),
});
type Resources = z.infer<typeof resourcesSchema>['resources'];

export interface ObjectPaths {
  readonly collection: string;
  readonly object: string;
}

/** Paths of objects of any kind, found by asking the API server for the kinds that it serves. */
export function createPaths(kube: Kube): (manifest: Manifest) => Promise<ObjectPaths> {
  const known = new Map<string, Promise<Resources>>();
  const resourcesOf = (apiVersion: string): Promise<Resources> => {
    const path = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const found = known.get(apiVersion) ?? kube.request({ path }).then((list) => resourcesSchema.parse(list).resources);
    known.set(apiVersion, found);
    return found;
  };
  return async ({ apiVersion, kind, metadata: { name, namespace = 'default' } }) => {
    const all = await resourcesOf(apiVersion);
    const resource = all.find((one) => one.kind === kind && !one.name.includes('/'));
    if (resource === undefined) throw new Error(`the API server does not serve ${kind} of ${apiVersion}`);
    const found = { apiVersion, plural: resource.name };
    const collection = collectionPath(found, resource.namespaced ? namespace : undefined);
    const object = resource.namespaced
      ? objectPath(found, { namespace, name })
      : `${collection}/${encodeURIComponent(name)}`;
    return { collection, object };
  };
}
