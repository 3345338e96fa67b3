import { BOUNDS } from '../bounds/bounds.ts';
import { boundedJson } from '../bounds/json.ts';
import type { Conversion, Convertible } from './convertible.ts';

/** Annotation in which the v1beta1 form keeps the v1beta2 form without its metadata, for fields that v1beta1 lacks. */
export const CONVERSION_DATA = 'cluster.x-k8s.io/conversion-data';

/**
 * Stores the v1beta2 form in an annotation of the v1beta1 form and removes it on the way back, where `restore` puts
 * back what v1beta1 cannot express.
 */
export const withRoundTrip = (
  { toHub, fromHub }: Conversion,
  restore: (converted: Convertible, before: Convertible) => Convertible,
): Conversion => ({
  toHub(object) {
    const { data, rest } = takenOff(object);
    const converted = toHub(rest);
    const before = data === undefined ? undefined : read(data);
    return before === undefined ? converted : restore(converted, before);
  },
  fromHub(object) {
    const { metadata, ...whole } = object;
    const converted = fromHub(object);
    const annotations = { ...metadata?.annotations, [CONVERSION_DATA]: JSON.stringify(whole) };
    return { ...converted, metadata: { ...metadata, annotations } };
  },
});

function takenOff(object: Convertible): { readonly data: string | undefined; readonly rest: Convertible } {
  const data = object.metadata?.annotations?.[CONVERSION_DATA];
  if (data === undefined) return { data, rest: object };
  const { annotations: { [CONVERSION_DATA]: _, ...annotations } = {}, ...metadata } = object.metadata ?? {};
  const left = Object.keys(annotations).length === 0 ? {} : { annotations };
  return { data, rest: { ...object, metadata: { ...metadata, ...left } } };
}

/** Anybody can write annotations; an unreadable one restores nothing. */
function read(data: string): Convertible | undefined {
  try {
    const parsed: unknown = boundedJson(data, BOUNDS.conversionData);
    return typeof parsed === 'object' && parsed !== null ? (parsed as Convertible) : undefined;
  } catch {
    return undefined;
  }
}
