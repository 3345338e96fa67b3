import { z } from 'zod';
import {
  OPERATIONS_ANNOTATION,
  REQUEST_ANNOTATION,
  UNDEPLOYING_ANNOTATION,
} from '../../../api/baremetalhost/values.ts';
import { condition } from '../../../api/meta/conditions.ts';
import { isObject, type Json } from '../../../kube/merge-patch.ts';
import { createNormal } from '../normalise.ts';
import type { SeenObject } from '../watch-versions.ts';
import type { Kind } from './witness.ts';

const KEPT_METADATA = ['annotations', 'labels', 'finalizers', 'ownerReferences', 'deletionTimestamp'];

/** A list of conditions, each as one line: status, reason, observed generation. */
const conditions = (list: unknown): Json =>
  Object.fromEntries(
    z
      .array(condition)
      .parse(list)
      .map(({ type, status, reason, message, observedGeneration }) => [
        type,
        `${status} ${reason} of ${observedGeneration ?? 'no generation'}${message === '' ? '' : `: ${message}`}`,
      ]),
  );

/** Objects without values that differ between runs. Resource versions are replaced by their order. */
export function createNormaliser(namespace: string): (kind: Kind, object: SeenObject) => Json {
  const versions = new Map<string, string>();
  const versionName = (version: string): string => {
    const known = versions.get(version) ?? `<version ${versions.size + 1}>`;
    versions.set(version, known);
    return known;
  };
  const named = (text: string): string => text.replaceAll(namespace, '<namespace>');
  const normal = createNormal(named, (key, value) => {
    if (key === 'conditions') return conditions(value);
    return key === 'credentialsVersion' && typeof value === 'string' ? versionName(value) : undefined;
  });
  return (kind, object) => {
    if (kind === 'Event') {
      const { reason, message, type, related } = object;
      return normal('', { reason, message, type, ...(related === undefined ? {} : { related }) }) as Json;
    }
    const { annotations, ...others } = object.metadata;
    const seen: Json = { ...others, ...withoutOwn(annotations) };
    const metadata = Object.fromEntries(
      KEPT_METADATA.flatMap((key) => (seen[key] === undefined ? [] : [[key, seen[key]]])),
    );
    // The content of Secrets is not recorded.
    const { spec, status } = object;
    return normal('', {
      metadata,
      ...(kind === 'Secret'
        ? {}
        : { ...(spec === undefined ? {} : { spec }), ...(status === undefined ? {} : { status }) }),
    }) as Json;
  };
}

const OWN_ANNOTATIONS = [OPERATIONS_ANNOTATION, REQUEST_ANNOTATION, UNDEPLOYING_ANNOTATION];

/** Hosts of Temper have these, none of upstream's has: row C98. */
function withoutOwn(annotations: unknown): { readonly annotations?: unknown } {
  if (!isObject(annotations) || !OWN_ANNOTATIONS.some((own) => own in annotations))
    return annotations === undefined ? {} : { annotations };
  const others = Object.entries(annotations).filter(([key]) => !OWN_ANNOTATIONS.includes(key));
  return others.length === 0 ? {} : { annotations: Object.fromEntries(others) };
}
