import type { Convertible } from './convertible.ts';
import { given, unlessEmpty } from './given.ts';

type Json = Readonly<Record<string, unknown>>;

/** The object at a path; empty when it is missing. */
export function at(object: unknown, ...path: readonly string[]): Json {
  const found = path.reduce<unknown>((value, key) => (isJson(value) ? value[key] : undefined), object);
  return isJson(found) ? found : {};
}

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object with fields set at a path; missing objects on the path are created. */
export function put(object: Json, fields: Json, ...[key, ...rest]: readonly string[]): Json {
  return key === undefined ? { ...object, ...fields } : { ...object, [key]: put(at(object, key), fields, ...rest) };
}

/** `ready: false` in v1beta1 means both "not provisioned" and "not reported". */
export function restoreProvisioned(converted: Convertible, before: Convertible): Convertible {
  const isUnsaid = at(converted, 'status')['initialization'] === undefined;
  const wasFalse = at(before, 'status', 'initialization')['provisioned'] === false;
  if (!isUnsaid || !wasFalse) return converted;
  return { ...converted, status: put(at(converted, 'status'), { initialization: { provisioned: false } }) };
}

/** v1beta1 does not distinguish a missing checksum from an empty one. */
export function restoreNoChecksum(
  converted: Convertible,
  before: Convertible,
  ...spec: readonly string[]
): Convertible {
  const image = at(converted, ...spec, 'image');
  if (image['checksum'] !== '' || at(before, ...spec, 'image')['checksum'] !== undefined) return converted;
  const { checksum: _, ...rest } = image;
  const [, ...inSpec] = spec;
  return { ...converted, spec: put(at(converted, 'spec'), { image: rest }, ...inSpec) };
}

/** Templates of v1beta1 have no metadata for the created objects. */
export function restoreTemplateMetadata(converted: Convertible, before: Convertible): Convertible {
  const found = (name: string): Json | undefined => unlessEmpty(at(before, 'spec', 'template', 'metadata', name));
  const metadata = unlessEmpty(given({ labels: found('labels'), annotations: found('annotations') }));
  if (metadata === undefined) return converted;
  return { ...converted, spec: put(at(converted, 'spec'), { metadata }, 'template') };
}
