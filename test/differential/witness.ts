import { z } from 'zod';
import { objectMeta } from '../../api/meta/object-meta.ts';
import type { Kube } from '../../kube/client.ts';
import { isObject } from '../../kube/merge-patch.ts';
import { eventCollection, kindPath } from '../../kube/paths.ts';
import { createReflector } from '../../kube/reflector.ts';

export const KINDS = ['BareMetalHost', 'Secret', 'HardwareData', 'Event'] as const;
export type Kind = (typeof KINDS)[number];

const pathOf = (kind: Kind, namespace: string): string => {
  switch (kind) {
    case 'BareMetalHost':
      return kindPath('baremetalhosts', namespace);
    case 'HardwareData':
      return kindPath('hardwaredata', namespace);
    case 'Secret':
      return kindPath('secrets', namespace);
    case 'Event':
      return eventCollection(namespace);
  }
};

const seenObject = z.looseObject({ metadata: objectMeta.loose() });
export type SeenObject = z.infer<typeof seenObject>;

/** One version of one object. All kinds share one order, because one etcd assigns the versions. */
export interface Version {
  readonly at: number;
  readonly kind: Kind;
  readonly name: string;
  /** undefined: deleted. */
  readonly object: SeenObject | undefined;
}

/** Watches every version of every object of a namespace, in the order of writes. */
export interface Witness {
  versions(): readonly Version[];
  /** Resolves at the next version, or after the given time; rejects when the watch broke. */
  next(ms: number): Promise<void>;
  stop(): Promise<void>;
}

export async function watchNamespace(kube: Kube, namespace: string): Promise<Witness> {
  const seen: Version[] = [];
  let wake: (() => void) | undefined;
  const stopped = new AbortController();

  const note = (version: Version): void => {
    seen.push(version);
    seen.sort((a, b) => a.at - b.at);
    wake?.();
  };
  const reflectors = KINDS.map((kind) =>
    createReflector({
      kube,
      path: pathOf(kind, namespace),
      keep: (json) => {
        const object = seenObject.parse(json);
        const { name, uid = '', resourceVersion = '' } = object.metadata;
        return { namespace, name, uid, resourceVersion, object };
      },
      onChange: (_key, now, before) => {
        const last = now ?? before;
        if (last === undefined) return;
        note({ at: Number(last.resourceVersion), kind, name: last.name, object: now?.object });
      },
      // Versions written without a watch would be missing.
      onTrouble: (error) => {
        throw error;
      },
    }),
  );
  const running = Promise.all(reflectors.map((reflector) => reflector.run(stopped.signal)));
  running.catch(() => undefined);
  await Promise.race([running, Promise.all(reflectors.map(({ synced }) => synced))]);

  return {
    versions: () => seen,
    next: async (ms) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      const timer = setTimeout(resolve, ms);
      await Promise.race([running, promise]);
      clearTimeout(timer);
      wake = undefined;
    },
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
}

export const field = (object: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), object);
