import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { BOUNDS } from '../domain/bounds/bounds.ts';
import { type Kube, KubeError, TOO_LARGE } from './client.ts';

/** The fields of an object that are kept; the rest is dropped after parsing. */
export interface ObjectIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface ReflectorOptions<T extends ObjectIdentity> {
  readonly kube: Kube;
  readonly path: string;
  /** Only objects that match are listed and watched; absent: all. */
  readonly fieldSelector?: string | undefined;
  readonly accept?: { readonly list: string; readonly watch: string };
  readonly keep: (object: unknown) => T;
  /** `now` is undefined for a deleted object. Also called for changes while no watch was open. */
  readonly onChange: (key: string, now: T | undefined, before: T | undefined) => void;
  readonly onTrouble: (error: unknown, retryInMs: number) => void;
  /** The server was restored from a backup; called before the list that follows. */
  readonly onSetBack?: () => void;
  /**
   * Called before a watch that was cut goes on, and before the kind is listed again. Aborts the signal of `run` if it
   * finds that the server was restored from a backup. Never rejects.
   */
  readonly lookForRestore?: () => Promise<void>;
  /**
   * The version of the last write by which `lookForRestore` finds restores; absent or undefined: none. A restore may
   * lose later versions unnoticed, so a kind of which something later was seen is listed again after each cut.
   */
  readonly renewedAt?: () => string | undefined;
}

export interface Reflector<T extends ObjectIdentity> {
  get(key: string): T | undefined;
  values(): IterableIterator<T>;
  /** Resolves after the first complete list. */
  readonly synced: Promise<void>;
  /** False while the watch is interrupted. */
  readonly following: boolean;
  /** Watches the kind until aborted, across all failures of the server. */
  run(signal: AbortSignal): Promise<void>;
}

export const keyOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): string =>
  `${namespace}/${name}`;
export function nameOf(key: string): { readonly namespace: string; readonly name: string } {
  const slash = key.indexOf('/');
  return { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** Resource versions of one cluster are decimal numbers that grow and exceed the range of a number. */
export const isOlderVersion = (a: string, b: string): boolean => (a.length === b.length ? a < b : a.length < b.length);

/** For kinds of which only the metadata is read. */
export const METADATA_ONLY = {
  list: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
  watch: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
};

/** A watch is renewed at this interval: this costs nothing and limits how long a dead connection is unnoticed. */
const WATCH_SECONDS = 60;
const SILENCE_MS = 75_000;
const PAGE_SIZE = 500;
const BACKOFF = { firstMs: 100, mostMs: 10_000 };

const listSchema = z.object({
  metadata: z.object({ resourceVersion: z.string(), continue: z.string().optional() }),
  items: z.array(z.unknown()).nullish(),
});
const eventSchema = z.object({ type: z.string(), object: z.unknown() });
const versionSchema = z.object({ metadata: z.object({ resourceVersion: z.string() }) });
const statusSchema = z.object({
  code: z.number().optional(),
  reason: z.string().optional(),
  message: z.string().optional(),
});

/**
 * A local copy of one kind: lists, then watches. After a broken connection it watches from the last version if a look
 * for restores covers all that it has seen: a restored server accepts a watch from a version that it has not reached,
 * and sends nothing until then. Otherwise, and when that version is refused (410 Gone), it lists again and reports the
 * differences.
 */
export function createReflector<T extends ObjectIdentity>(options: ReflectorOptions<T>): Reflector<T> {
  const { kube, path, fieldSelector, accept, keep, onChange, onTrouble, onSetBack, lookForRestore, renewedAt } =
    options;
  const objects = new Map<string, T>();
  let following = false;
  /** The value of `renewedAt` when the last watch ended; later writes may have been made after a restore. */
  let renewedBefore: string | undefined;
  const { promise: synced, resolve: markSynced } = Promise.withResolvers<void>();

  const put = (now: T): void => {
    const key = keyOf(now);
    const before = objects.get(key);
    objects.set(key, now);
    if (before?.uid !== now.uid || before.resourceVersion !== now.resourceVersion) onChange(key, now, before);
  };
  const remove = (key: string, last?: T): void => {
    const before = last ?? objects.get(key);
    if (objects.delete(key)) onChange(key, undefined, before);
  };

  /** Lists the kind, at this version or later. undefined: at the first time, or after a restore. */
  const list = async (after: string | undefined, signal: AbortSignal): Promise<string> => {
    const found = new Map<string, T>();
    let page: string | undefined;
    let version: string;
    let size = PAGE_SIZE;
    /** Tenants make objects as large as they like, so a page that is too large is asked for again with half as many. */
    const readPage = async (from: string | undefined): Promise<z.infer<typeof listSchema>> => {
      const query = { fieldSelector, limit: size, continue: from };
      try {
        return listSchema.parse(
          await kube.request({ path, query, signal, bound: BOUNDS.page, ...accepting(accept?.list) }),
        );
      } catch (error) {
        if (!(error instanceof KubeError && error.reason === TOO_LARGE) || size === 1) throw error;
        size = Math.floor(size / 2);
        return readPage(from);
      }
    };
    do {
      const answer = await readPage(page);
      for (const item of answer.items ?? []) {
        const kept = keep(item);
        found.set(keyOf(kept), kept);
      }
      version = answer.metadata.resourceVersion;
      page = answer.metadata.continue || undefined;
    } while (page !== undefined);
    refuseIfOlder(version, after);
    if (after !== undefined) {
      for (const [key, now] of found) refuseIfOlder(now.resourceVersion, objects.get(key)?.resourceVersion);
    }
    const gone = [...objects.keys()].filter((key) => !found.has(key));
    for (const key of gone) remove(key);
    for (const kept of found.values()) put(kept);
    return version;
  };

  /** Resolves when the server ends the watch normally. */
  const watch = async (from: string, moved: (version: string) => void, signal: AbortSignal): Promise<void> => {
    const silence = new AbortController();
    const quiet = setTimeout(() => silence.abort(new Error('the watch sent nothing for too long')), SILENCE_MS);
    try {
      const query = {
        fieldSelector,
        watch: true,
        allowWatchBookmarks: true,
        resourceVersion: from,
        timeoutSeconds: WATCH_SECONDS,
      };
      const lines = kube.lines({
        path,
        query,
        signal: AbortSignal.any([signal, silence.signal]),
        ...accepting(accept?.watch),
      });
      for await (const line of lines) {
        following = true;
        quiet.refresh();
        const { type, object } = eventSchema.parse(JSON.parse(line));
        if (type === 'ERROR') throw endedByServer(path, object);
        const { resourceVersion } = versionSchema.parse(object).metadata;
        if (type === 'ADDED' || type === 'MODIFIED') put(keep(object));
        if (type === 'DELETED') {
          const gone = keep(object);
          remove(keyOf(gone), gone);
        }
        moved(resourceVersion);
      }
    } finally {
      clearTimeout(quiet);
      // A silent connection may have been lost a long time ago.
      renewedBefore = silence.signal.aborted ? undefined : renewedAt?.();
    }
  };

  const refuseIfOlder = (now: string, before: string | undefined): void => {
    if (before !== undefined && isOlderVersion(now, before)) throw new SetBack(path, now, before);
  };

  const run = async (signal: AbortSignal): Promise<void> => {
    /** The last version seen; undefined: none yet, or it is from before a restore. */
    let version: string | undefined;
    let isListed = false;
    let failures = 0;
    /** The last watch ended too early: the server may have been restored from a backup. */
    let isCut = false;
    while (!signal.aborted) {
      try {
        if (isCut && version !== undefined) {
          await lookForRestore?.();
          signal.throwIfAborted();
          if (renewedBefore === undefined || isOlderVersion(renewedBefore, version)) isListed = false;
        }
        if (version === undefined || !isListed) {
          version = await list(version, signal);
          isListed = true;
          markSynced();
        }
        following = true;
        const began = Date.now();
        isCut = true;
        await watch(
          version,
          (moved) => {
            version = moved;
            failures = 0;
          },
          signal,
        );
        isCut = Date.now() - began < WATCH_SECONDS * 1_000;
        // A server that accepts a watch and ends it at once (while starting or stopping) must not be asked in a tight
        // loop.
        if (Date.now() - began > 1_000) failures = 0;
        else await sleep(Math.min(BACKOFF.firstMs * 2 ** failures++, BACKOFF.mostMs), undefined, { signal });
      } catch (error) {
        if (signal.aborted) return;
        following = false;
        // After any error of the server about this version, a new list is needed; not after a broken connection.
        if (!(error instanceof KubeError && error.status === 0)) isListed = false;
        if (error instanceof SetBack) {
          version = undefined;
          onSetBack?.();
        }
        const delay = Math.min(BACKOFF.firstMs * 2 ** failures++, BACKOFF.mostMs) * (0.75 + Math.random() / 2);
        onTrouble(error, Math.round(delay));
        await sleep(delay, undefined, { signal }).catch(() => undefined);
      }
    }
  };

  return {
    get: (key) => objects.get(key),
    values: () => objects.values(),
    synced,
    get following() {
      return following;
    },
    run,
  };
}

const accepting = (accept: string | undefined): { accept?: string } => (accept === undefined ? {} : { accept });

function endedByServer(path: string, object: unknown): KubeError {
  const status = statusSchema.safeParse(object);
  const { code = 500, reason = '', message = 'the watch ended with an error' } = status.success ? status.data : {};
  return new KubeError(`watch ${path}`, code, { reason, message });
}

class SetBack extends KubeError {
  constructor(path: string, now: string, before: string) {
    const message = `the server is at version ${now} after ${before}: it was restored from a backup`;
    super(`watch ${path}`, 410, { reason: 'Expired', message });
  }
}
