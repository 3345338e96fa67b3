import { partialDeepStrictEqual } from 'node:assert';
import { setTimeout as sleep } from 'node:timers/promises';
import { vi } from 'vitest';
import { z } from 'zod';
import type { Kube } from '../../../kube/client.ts';
import { PATIENCE } from './machines.ts';

const AGAIN_MS = 200;

const texts = z.record(z.string(), z.string()).default({});
const reference = z.looseObject({ name: z.string() });

/** What tests read of an object; the rest is there as well. */
const objectSchema = z.looseObject({
  metadata: z.looseObject({
    name: z.string(),
    uid: z.string(),
    resourceVersion: z.string(),
    labels: texts,
    annotations: texts,
    ownerReferences: z.array(reference.extend({ kind: z.string() })).default([]),
  }),
  spec: z
    .looseObject({
      providerID: z.string().optional(),
      failureDomain: z.string().optional(),
      infrastructureRef: reference.optional(),
      consumerRef: reference.optional(),
      bootstrap: z.looseObject({ dataSecretName: z.string().optional() }).optional(),
      metaData: reference.optional(),
      networkData: reference.optional(),
      userData: reference.optional(),
    })
    .default({}),
  status: z
    .looseObject({
      nodeRef: reference.optional(),
      provisioning: z.looseObject({ state: z.string() }).optional(),
      conditions: z.array(z.looseObject({ message: z.string().default('') })).default([]),
    })
    .prefault({}),
});
export type Recorded = z.infer<typeof objectSchema>;

const eventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['ADDED', 'MODIFIED', 'DELETED']), object: objectSchema }),
  z.object({ type: z.literal('ERROR') }),
]);

/** An object as it was from one change to the next. */
export interface Look {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly name: string;
  /** Of the etcd that all clusters of a lab share: what has the greater one happened later, whatever the kind. */
  readonly revision: number;
  readonly object: Recorded;
}

/** Part of an object, as `toMatchObject` would have it, or what holds of it. */
export type Description = object | ((object: Recorded) => boolean);

export interface ObjectRecord<Kind extends string> {
  /** All that was seen of a kind until now. */
  looks(kind: Kind, name?: string): readonly Look[];
  /** The first look of this description there ever was; waits for it, and tells what was seen instead. */
  first(kind: Kind, what: Description, name?: string): Promise<Look>;
  /** The first look of an object that is no more; waits for it. */
  gone(kind: Kind, name: string): Promise<Look>;
  close(): void;
}

/** Watches kinds, as paths of lists by name, and remembers every look of each object from now on. */
export function recordObjects<Kind extends string>(
  kube: Kube,
  kinds: Readonly<Record<Kind, string>>,
): ObjectRecord<Kind> {
  const ending = new AbortController();
  const seen = new Map<Kind, Look[]>();
  let failure: unknown;

  /** Goes on where it was cut off: a server ends watches as it likes. */
  const follow = async (kind: Kind): Promise<void> => {
    const all: Look[] = [];
    seen.set(kind, all);
    const { signal } = ending;
    let resourceVersion: string | undefined;
    while (!signal.aborted) {
      try {
        for await (const line of kube.lines({ path: kinds[kind], query: { watch: true, resourceVersion }, signal })) {
          const event = eventSchema.parse(JSON.parse(line));
          if (event.type === 'ERROR') {
            // A server that has just begun does not know what was before it: all that is there is told again.
            resourceVersion = undefined;
            break;
          }
          const { type, object } = event;
          resourceVersion = object.metadata.resourceVersion;
          all.push({ type, name: object.metadata.name, revision: Number(resourceVersion), object });
        }
      } catch (error) {
        failure = error;
      }
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  };
  for (const kind of Object.keys(kinds) as Kind[]) void follow(kind);

  const looks = (kind: Kind, name?: string): readonly Look[] =>
    (seen.get(kind) ?? []).filter((look) => name === undefined || look.name === name);
  const find = (kind: Kind, holds: (look: Look) => boolean, name?: string): Promise<Look> =>
    vi.waitFor(() => {
      const all = looks(kind, name);
      const found = all.find(holds);
      if (found !== undefined) return found;
      throw new Error(`${kind} ${name ?? ''} never was so: ${briefly(all)}`, { cause: failure });
    }, PATIENCE);

  return {
    looks,
    first: (kind, what, name) => find(kind, ({ type, object }) => type !== 'DELETED' && isSo(object, what), name),
    gone: (kind, name) => find(kind, ({ type }) => type === 'DELETED', name),
    close: () => ending.abort(),
  };
}

/** True when the object is as described. */
export function isSo(object: Recorded, what: Description): boolean {
  if (typeof what === 'function') return (what as (object: Recorded) => boolean)(object);
  try {
    partialDeepStrictEqual(object, what);
    return true;
  } catch {
    return false;
  }
}

/** How each object looked last; nothing of what Secrets hold. */
function briefly(all: readonly Look[]): string {
  const last = new Map(all.map((look) => [look.name, look]));
  return JSON.stringify(
    [...last.values()].map(({ type, object: { metadata, spec, status } }) => ({
      type,
      metadata: { ...metadata, managedFields: undefined },
      spec,
      status,
    })),
  );
}
