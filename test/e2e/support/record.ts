import { partialDeepStrictEqual } from 'node:assert';
import { expect, vi } from 'vitest';
import { z } from 'zod';
import type { Kube } from '../../../kube/client.ts';
import { followVersions, type Version } from './follow-versions.ts';
import { PATIENCE } from './machines.ts';

const texts = z.record(z.string(), z.string()).default({});
const reference = z.looseObject({ name: z.string() });

/** The fields of an object that tests read; others are kept. */
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

/** One version of an object. */
export interface Look {
  readonly type: Version['type'];
  readonly name: string;
  /** Revision of the etcd that all clusters of a lab share: a greater one is later, for all kinds. */
  readonly revision: number;
  readonly object: Recorded;
}

/** Part of an object, as for `toMatchObject`, or a check. */
export type Description = object | ((object: Recorded) => boolean);

export interface ObjectRecord<Kind extends string> {
  /** All versions of a kind so far. */
  looks(kind: Kind, name?: string): readonly Look[];
  /**
   * Waits for the first version that matches the description, among all versions so far; the error shows what was seen
   * instead.
   */
  first(kind: Kind, what: Description, name?: string): Promise<Look>;
  /** Waits for the deletion of an object and returns its last version. */
  gone(kind: Kind, name: string): Promise<Look>;
  close(): void;
}

/** Watches kinds, given as list paths by name, and records every version of each object from now on. */
export function recordObjects<Kind extends string>(
  kube: Kube,
  kinds: Readonly<Record<Kind, string>>,
): ObjectRecord<Kind> {
  const ending = new AbortController();
  const seen = new Map<Kind, Look[]>();
  let failure: unknown;

  const follow = async (kind: Kind): Promise<void> => {
    const all: Look[] = [];
    seen.set(kind, all);
    const record = (version: Version): void => {
      const object = objectSchema.parse(version.object);
      const { name, resourceVersion } = object.metadata;
      all.push({ type: version.type, name, revision: Number(resourceVersion), object });
    };
    const failed = (error: unknown): void => {
      failure = error;
    };
    await followVersions(kube, { path: kinds[kind] }, record, ending.signal, failed);
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

/** Asserts the order of these versions, across kinds. */
export const expectOrder = (...looks: readonly Look[]): void => {
  const revisions = looks.map(({ revision }) => revision);
  expect(revisions).toEqual(revisions.toSorted((a, b) => a - b));
};

/** True when the object matches the description. */
export function isSo(object: Recorded, what: Description): boolean {
  if (typeof what === 'function') return (what as (object: Recorded) => boolean)(object);
  try {
    partialDeepStrictEqual(object, what);
    return true;
  } catch {
    return false;
  }
}

/** The last version of each object, without the content of Secrets. */
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
