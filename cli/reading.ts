import { isNotFound, type Kube, KubeError } from '../kube/client.ts';
import { ifInstalled, isNotInstalled } from '../kube/installed.ts';
import { type FollowedKind, KINDS } from '../kube/kinds.ts';
import { itemsOf } from '../kube/objects/metadata.ts';
import { collectionPath, isObjectName, type Named, objectPath } from '../kube/paths.ts';
import { METADATA_ONLY } from '../kube/reflector.ts';
import { type Out, REFUSED } from './out.ts';

/** Reads objects for a person who may lack rights: what could not be read is noted, and reading continues. */
export interface Reading {
  /** undefined: it does not exist, or could not be read. */
  find(kind: FollowedKind, name: Named): Promise<unknown>;
  /** The same for a kind that the API server may not know. */
  findInstalled(kind: FollowedKind, name: Named): Promise<unknown>;
  /** undefined: they could not be read. */
  list(kind: FollowedKind, namespace: string, labelSelector?: string): Promise<readonly unknown[] | undefined>;
  /** undefined: it could not be read. */
  hasSecret(name: Named): Promise<boolean | undefined>;
  /** Notes a problem with something that was read. */
  note(why: string): void;
  /** The objects that could not be read, each with the reason. */
  readonly unread: readonly string[];
  /** How often something could not be read. */
  readonly refusals: number;
}

export function createReading(kube: Pick<Kube, 'find' | 'request'>): Reading {
  const unread = new Set<string>();
  let refusals = 0;
  /** Notes a refusal. Rethrows when the API server cannot be reached. */
  const unlessRefused = async <T>(what: string, kind: FollowedKind, reading: Promise<T>): Promise<T | undefined> => {
    try {
      return await reading;
    } catch (error) {
      if (!(error instanceof KubeError) || error.status === 0) throw error;
      const isUnknown = error.status === 404 && (await isNotInstalled(kube, kind));
      const why = isUnknown ? 'the API server does not know this kind' : error.words;
      unread.add(`${what}: ${why}`);
      refusals += 1;
      return undefined;
    }
  };
  const found = async (kind: FollowedKind, name: Named, asked: (path: string) => Promise<unknown>): Promise<unknown> =>
    isObjectName(name.name)
      ? unlessRefused(`${kind.kind} ${name.namespace}/${name.name}`, kind, asked(objectPath(kind, name)))
      : undefined;
  return {
    find: (kind, name) => found(kind, name, (path) => kube.find(path)),
    findInstalled: (kind, name) => found(kind, name, (path) => ifInstalled(kube, kind, kube.find(path))),
    list: (kind, namespace, labelSelector) =>
      unlessRefused(
        `${kind.kind}s of namespace ${namespace}`,
        kind,
        kube.request({ path: collectionPath(kind, namespace), query: { labelSelector } }).then(itemsOf),
      ),
    async hasSecret(name) {
      if (!isObjectName(name.name)) return false;
      // The content of a Secret is never requested.
      const asked = kube
        .request({ path: objectPath(KINDS.secret, name), accept: METADATA_ONLY.watch })
        .then(() => true)
        .catch((error: unknown) => {
          if (isNotFound(error)) return false;
          throw error;
        });
      return unlessRefused(`whether Secret ${name.namespace}/${name.name} exists`, KINDS.secret, asked);
    },
    note: (why) => void unread.add(why),
    get unread() {
      return [...unread];
    },
    get refusals() {
      return refusals;
    },
  };
}

/** Tells that there is no such object, or why it could not be read. Returns the exit code. */
export function notFound(kind: string, { namespace, name }: Named, { unread }: Reading, out: Out): number {
  out.aside(`temper: there is no ${kind} ${namespace}/${name}, or it cannot be read`);
  for (const why of unread) out.aside(`temper: ${why}`);
  return REFUSED;
}

/** Reads each object and each list only once, for work on many objects. */
export function readingOnce(reading: Reading): Pick<Reading, 'find' | 'list'> {
  const read = new Map<string, Promise<unknown>>();
  const once = <T>(key: readonly unknown[], ask: () => Promise<T>): Promise<T> => {
    const known = read.get(JSON.stringify(key)) as Promise<T> | undefined;
    const answer = known ?? ask();
    read.set(JSON.stringify(key), answer);
    return answer;
  };
  return {
    find: (kind, name) => once(['find', kind.kind, name], () => reading.find(kind, name)),
    list: (kind, namespace, labels) =>
      once(['list', kind.kind, namespace, labels], () => reading.list(kind, namespace, labels)),
  };
}
