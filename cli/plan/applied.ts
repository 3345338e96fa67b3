import { z } from 'zod';
import { same } from '../../domain/same.ts';

/** The annotation with the manifest that kubectl has applied last. */
export const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

type Json = Readonly<Record<string, unknown>>;
const json = z.record(z.string(), z.unknown());
const part = json.catch({});

const manifest = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
export type PlannedManifest = z.infer<typeof manifest>;

/** undefined for a document that is no object of Kubernetes. */
export const readManifest = (document: unknown): PlannedManifest | undefined => manifest.safeParse(document).data;

/** What the API server sets at the creation of an object, whatever the manifest says. */
const CREATED = { uid: '', resourceVersion: '', generation: 1, creationTimestamp: '', deletionTimestamp: undefined };

/**
 * The object after `kubectl apply` of the manifest: fields that the last applied manifest had and this one lacks are
 * removed, fields of others stay, lists are replaced. A manifest that was read from a cluster brings no status with it.
 */
export function applied(live: unknown, wanted: PlannedManifest, namespace: string): Json {
  if (live === undefined) {
    const { status: _, ...fresh } = wanted;
    return { ...fresh, metadata: { namespace, ...wanted.metadata, ...CREATED } };
  }
  const object = part.parse(live);
  const metadata = part.parse(object['metadata']);
  const before = lastApplied(part.parse(metadata['annotations'])[LAST_APPLIED]);
  const ofMetadata = (key: 'annotations' | 'labels'): Json =>
    merged(
      part.parse(metadata[key]),
      part.parse(part.parse(before['metadata'])[key]),
      part.parse(wanted.metadata[key]),
    );
  return {
    ...object,
    metadata: { ...metadata, annotations: ofMetadata('annotations'), labels: ofMetadata('labels') },
    spec: merged(part.parse(object['spec']), part.parse(before['spec']), part.parse(wanted['spec'])),
  };
}

function lastApplied(text: unknown): Json {
  if (typeof text !== 'string') return {};
  try {
    return part.parse(JSON.parse(text));
  } catch {
    return {};
  }
}

/** The object with fields of its spec replaced; null removes one. */
export function withSpec(object: unknown, change: object): Json {
  const read = part.parse(object);
  return { ...read, spec: merged(part.parse(read['spec']), {}, part.parse(change)) };
}

function merged(live: Json, before: Json, wanted: Json): Json {
  const kept = Object.entries(live).filter(([key]) => key in wanted || !(key in before));
  const set = Object.entries(wanted).map(([key, value]): [string, unknown] => {
    const [ours, old, now] = [json.safeParse(value).data, before[key], live[key]];
    return [key, ours === undefined ? value : merged(part.parse(now), part.parse(old), ours)];
  });
  const all = Object.entries(Object.fromEntries([...kept, ...set]));
  return Object.fromEntries(all.filter(([, value]) => value !== null));
}

/** A field that differs. */
export interface Difference {
  readonly field: string;
  /** Absent: the field is new, or removed. */
  readonly before?: unknown;
  readonly after?: unknown;
}

/** The fields that differ, by their paths; lists are compared as a whole. */
export function differences(before: unknown, after: unknown, field = ''): readonly Difference[] {
  const [one, other] = [json.safeParse(before).data, json.safeParse(after).data];
  if (one === undefined || other === undefined) {
    if (same(before, after)) return [];
    return [{ field, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
  }
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return keys.flatMap((key) => differences(one[key], other[key], field === '' ? key : `${field}.${key}`));
}
