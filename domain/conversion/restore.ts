import type { Convertible } from './convertible.ts';

type Json = Readonly<Record<string, unknown>>;

/** The object at a place within another; empty when there is none. */
export function at(object: unknown, ...path: readonly string[]): Json {
  const found = path.reduce<unknown>((value, key) => (isJson(value) ? value[key] : undefined), object);
  return isJson(found) ? found : {};
}

const isJson = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The object with fields put in at a place; the objects on the way there are made where they are missing. */
export function put(object: Json, fields: Json, ...[key, ...rest]: readonly string[]): Json {
  return key === undefined ? { ...object, ...fields } : { ...object, [key]: put(at(object, key), fields, ...rest) };
}

/** v1beta1 says `ready: false` both of what is not provisioned and of what nobody has said it of. */
export function restoreProvisioned(converted: Convertible, before: Convertible): Convertible {
  const isUnsaid = at(converted, 'status')['initialization'] === undefined;
  const wasFalse = at(before, 'status', 'initialization')['provisioned'] === false;
  if (!isUnsaid || !wasFalse || converted.status === undefined) return converted;
  return { ...converted, status: put(at(converted, 'status'), { initialization: { provisioned: false } }) };
}

/** v1beta1 has no difference between no checksum and an empty one. */
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

/** Templates of v1beta1 have no metadata for what is made from them. */
export function restoreTemplateMetadata(converted: Convertible, before: Convertible): Convertible {
  const { metadata } = at(before, 'spec', 'template');
  if (metadata === undefined) return converted;
  return { ...converted, spec: put(at(converted, 'spec'), { metadata }, 'template') };
}
