import { z } from 'zod';
import type { Kube } from '../../../kube/client.ts';

/** All objects in an API server that concern hosts and clusters, in the versions in which they are stored. */

const stored = z.looseObject({
  spec: z.unknown().optional(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().default(''),
    finalizers: z.array(z.string()).default([]),
    annotations: z.record(z.string(), z.string()).default({}),
    managedFields: z.array(z.looseObject({ manager: z.string(), subresource: z.string().optional() })).default([]),
  }),
});
type Stored = z.infer<typeof stored>;

/** By kind, namespace and name: `BareMetalHost default/plain`. */
export type StoredObjects = ReadonlyMap<string, Stored>;

const list = z.object({ items: z.array(stored) });
const definitions = z.object({
  items: z.array(
    z.object({
      spec: z.object({
        group: z.string(),
        names: z.object({ plural: z.string(), kind: z.string() }),
        versions: z.array(z.object({ name: z.string(), storage: z.boolean() })),
      }),
    }),
  ),
});

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const BUILT_IN: Readonly<Record<string, string>> = {
  Secret: '/api/v1/secrets',
  Lease: '/apis/coordination.k8s.io/v1/leases',
  ValidatingWebhookConfiguration: `${ADMISSION}/validatingwebhookconfigurations`,
  MutatingWebhookConfiguration: `${ADMISSION}/mutatingwebhookconfigurations`,
};

export async function storedObjects(kube: Kube): Promise<StoredObjects> {
  const { items } = definitions.parse(await kube.request({ path: DEFINITIONS }));
  const ofCrds = items.map(({ spec: { group, names, versions } }) => {
    const version = versions.find(({ storage }) => storage)?.name;
    return [`${names.kind}.${group}`, `/apis/${group}/${version}/${names.plural}`] as const;
  });
  const found = new Map<string, Stored>();
  for (const [kind, path] of [...Object.entries(BUILT_IN), ...ofCrds]) {
    for (const object of list.parse(await kube.request({ path })).items)
      found.set(`${kind} ${object.metadata.namespace}/${object.metadata.name}`, object);
  }
  return found;
}

/** Objects that the operators of Metal3 write, and what they leave of themselves. */
const OF_METAL3 =
  /^(?:\w+\.(?:metal3\.io|infrastructure\.cluster\.x-k8s\.io|ipam\.metal3\.io)|Secret) default\/|^Lease (?!kube-)|^\w+WebhookConfiguration \/(?!capi-)/;

const holder = z.object({ holderIdentity: z.string() });

/** One line for each of these: what others notice of the program that wrote it. */
export const traces = (objects: StoredObjects): readonly string[] =>
  [...objects]
    .filter(([name]) => OF_METAL3.test(name))
    .map(([name, { metadata, spec }]) => {
      const held = holder.safeParse(spec);
      const managers = metadata.managedFields.map(({ manager, subresource }) =>
        subresource === undefined ? manager : `${manager}/${subresource}`,
      );
      const parts = [
        ['finalizers', metadata.finalizers],
        ['annotations', Object.keys(metadata.annotations).toSorted()],
        ['written by', [...new Set(managers)].toSorted()],
        ['held by', held.success ? [held.data.holderIdentity] : []],
      ] as const;
      return [name, ...parts.flatMap(([what, all]) => (all.length === 0 ? [] : `${what} ${all.join(', ')}`))].join(
        '; ',
      );
    })
    .toSorted();

/** Each value that differs, by object and path: `BareMetalHost.metal3.io default/plain status.poweredOn`. */
export function differences(before: StoredObjects, after: StoredObjects): Readonly<Record<string, readonly unknown[]>> {
  return changedValues(values(before), values(after));
}

type Values = ReadonlyMap<string, unknown>;

export function changedValues(was: Values, is: Values): Readonly<Record<string, readonly unknown[]>> {
  const paths = [...new Set([...was.keys(), ...is.keys()])].filter((path) => was.get(path) !== is.get(path));
  return Object.fromEntries(paths.toSorted().map((path) => [path, [was.get(path), is.get(path)]]));
}

function values(objects: StoredObjects): Values {
  const parts = [...objects].flatMap(([name, { metadata, ...rest }]) => {
    const { managedFields: _, resourceVersion: __, generation: ___, ...known } = metadata;
    return [[`${name} metadata`, known] as const, ...partsOf(name, rest)];
  });
  return valuesIn(parts);
}

export const partsOf = (name: string, object: object): readonly (readonly [string, unknown])[] =>
  Object.entries(object).map(([key, value]) => [`${name} ${key}`, value]);

/** The texts, numbers and so on, by their paths. */
export function valuesIn(parts: readonly (readonly [string, unknown])[]): Values {
  const found = new Map<string, unknown>();
  const walk = (path: string, value: unknown): void => {
    if (value === null || typeof value !== 'object') found.set(path, value);
    else for (const [key, inner] of Object.entries(named(value))) walk(`${path}.${key}`, inner);
  };
  for (const [path, value] of parts) walk(path, value);
  return found;
}

/** Conditions by their types, because they have no order. */
function named(value: object): object {
  if (!Array.isArray(value)) return value;
  const entries = value.map((entry: unknown, at) => {
    const type = (entry as { readonly type?: unknown } | null)?.type;
    return [typeof type === 'string' ? type : String(at), entry] as const;
  });
  return Object.fromEntries(entries);
}
