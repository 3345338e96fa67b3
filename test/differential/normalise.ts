import { z } from 'zod';
import { condition } from '../../api/meta/conditions.ts';
import { isObject, type Json } from '../../kube/merge-patch.ts';
import type { Kind, SeenObject } from './witness.ts';

const TIMES = new Set(['lastUpdated', 'lastTransitionTime', 'start', 'end', 'deletionTimestamp', 'creationTimestamp']);
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
  const normal = (key: string, value: unknown): unknown => {
    if (key === 'conditions') return conditions(value);
    if (Array.isArray(value)) return value.map((item) => normal('', item));
    if (isObject(value))
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, normal(name, inner)]));
    if (typeof value !== 'string') return value;
    if (TIMES.has(key)) return '<time>';
    if (key === 'uid') return '<uid>';
    if (key === 'credentialsVersion') return versionName(value);
    return value.replaceAll(namespace, '<namespace>');
  };
  return (kind, object) => {
    if (kind === 'Event') {
      const { reason, message, type, related } = object;
      return normal('', { reason, message, type, ...(related === undefined ? {} : { related }) }) as Json;
    }
    const metadata = Object.fromEntries(
      KEPT_METADATA.flatMap((key) => (object.metadata[key] === undefined ? [] : [[key, object.metadata[key]]])),
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
