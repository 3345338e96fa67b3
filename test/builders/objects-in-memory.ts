import { type Kube, KubeError } from '../../kube/client.ts';
import { isObject, type Json } from '../../kube/merge-patch.ts';
import { discoveryOf } from './api-discovery.ts';

const SERVED = discoveryOf();

/** An object as an API server keeps it. */
export interface StoredObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
  readonly spec?: Json;
  readonly status?: Json;
}

/** Objects by path with the rules of an API server that matter for finalizers, names and versions. No validation. */
export interface ObjectsInMemory {
  readonly kube: Kube;
  /** By path. */
  all(): ReadonlyMap<string, StoredObject>;
  /** Called before each write, with its method and path; it may throw, and then nothing is written. */
  beforeWrite: (method: string, path: string) => void;
}

export function objectsInMemory(): ObjectsInMemory {
  const objects = new Map<string, StoredObject>();
  let version = 0;
  const next = (): string => String((version += 1));
  const refuse = (path: string, status: number, reason: string): never => {
    throw new KubeError(path, status, { reason, message: reason, object: path.split('/').at(-1) ?? '' });
  };

  const create = (path: string, body: Json): StoredObject => {
    const metadata = body['metadata'] as Json;
    const key = `${path}/${String(metadata['name'])}`;
    if (objects.has(key)) refuse(key, 409, 'AlreadyExists');
    const creationTimestamp = '2026-01-01T00:00:00Z';
    const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1];
    const given = {
      uid: `uid-${next()}`,
      generation: 1,
      creationTimestamp,
      ...(namespace !== undefined && { namespace }),
    };
    const kept = { ...given, ...metadata, resourceVersion: next() };
    return keep(key, { ...body, metadata: kept } as unknown as StoredObject);
  };
  const keep = (key: string, object: StoredObject): StoredObject => {
    const { deletionTimestamp, finalizers = [] } = object.metadata;
    if (deletionTimestamp !== undefined && finalizers.length === 0) objects.delete(key);
    else objects.set(key, object);
    return object;
  };
  const patch = (path: string, body: Json): StoredObject => {
    const isStatus = path.endsWith('/status');
    const key = isStatus ? path.slice(0, -'/status'.length) : path;
    const object = objects.get(key);
    if (object === undefined) return refuse(key, 404, 'NotFound');
    const { resourceVersion, uid, ...metadata } = (body['metadata'] ?? {}) as Json;
    const { metadata: meta } = object;
    if (resourceVersion !== undefined && resourceVersion !== meta.resourceVersion) refuse(key, 409, 'Conflict');
    if (uid !== undefined && uid !== meta.uid) refuse(key, 409, 'Conflict');
    const changed = isStatus
      ? { ...object, status: merged(object.status ?? {}, (body['status'] ?? {}) as Json) }
      : {
          ...(merged(object as unknown as Json, { ...body, metadata }) as unknown as StoredObject),
          status: object.status,
        };
    return keep(key, { ...changed, metadata: { ...changed.metadata, resourceVersion: next() } } as StoredObject);
  };
  const replace = (key: string, body: Json): StoredObject => {
    const { metadata, status } = objects.get(key) ?? refuse(key, 404, 'NotFound');
    const given = (body['metadata'] ?? {}) as Json;
    if (given['resourceVersion'] !== metadata.resourceVersion) refuse(key, 409, 'Conflict');
    return keep(key, { ...body, status, metadata: { ...given, resourceVersion: next() } } as unknown as StoredObject);
  };
  const remove = (key: string): unknown => {
    const object = objects.get(key);
    if (object === undefined) return refuse(key, 404, 'NotFound');
    const deletionTimestamp = object.metadata.deletionTimestamp ?? '2026-01-01T00:00:01Z';
    return keep(key, { ...object, metadata: { ...object.metadata, deletionTimestamp, resourceVersion: next() } });
  };
  const read = (path: string): unknown => {
    if (/\/namespaces\/[^/]+\/[^/]+$/.test(path)) {
      return { items: [...objects].filter(([key]) => key.startsWith(`${path}/`)).map(([, object]) => object) };
    }
    return SERVED[path] ?? objects.get(path) ?? refuse(path, 404, 'NotFound');
  };

  const server: ObjectsInMemory = {
    all: () => objects,
    beforeWrite: () => undefined,
    kube: {
      // Answers come later, as from a server, so requests that are sent at once overlap.
      async request({ method = 'GET', path, body }) {
        await Promise.resolve();
        if (method !== 'GET') server.beforeWrite(method, path);
        if (method === 'POST') return create(path, body as Json);
        if (method === 'PUT') return replace(path, body as Json);
        return method === 'DELETE' ? remove(path) : read(path);
      },
      async find(path) {
        await Promise.resolve();
        return objects.get(path);
      },
      async patch(path, body) {
        await Promise.resolve();
        server.beforeWrite('PATCH', path);
        return patch(path, body as Json);
      },
      // eslint-disable-next-line require-yield
      async *lines() {
        throw new Error('nothing is watched in memory');
      },
      close: () => Promise.resolve(),
    },
  };
  return server;
}

/** RFC 7396. */
function merged(target: Json, patch: Json): Json {
  const result: Record<string, unknown> = { ...target };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (isObject(value)) result[key] = merged(isObject(target[key]) ? target[key] : {}, value);
    else result[key] = value;
  }
  return result;
}
