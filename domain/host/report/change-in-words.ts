import { same } from '../../same.ts';
import type { HostMemory } from '../memory/memory.ts';

type Members = Readonly<Record<string, unknown>>;

/** What differs between two snapshots of a host, for people; '' when they read the same. */
export function changeInWords({ seen: before }: HostMemory, { seen: after }: HostMemory): string {
  const isDeleted = before.deletionTimestamp === undefined && after.deletionTimestamp !== undefined;
  const { name = '', resourceVersion } = after.bmcSecret ?? {};
  const isOtherSecret = before.bmcSecret?.name === name && before.bmcSecret.resourceVersion !== resourceVersion;
  return [
    ...(isDeleted ? ['host deleted'] : []),
    ...changed(before.spec as Members, after.spec as Members).map((field) => `spec.${field} changed`),
    ...changed(before.annotations, after.annotations).map((key) => annotationWords(key, before, after)),
    ...(isOtherSecret ? [`Secret ${name} changed`] : []),
  ].join(', ');
}

const changed = (before: Members, after: Members): readonly string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((key) => !same(before[key], after[key]));

function annotationWords(key: string, before: HostMemory['seen'], after: HostMemory['seen']): string {
  const what = !(key in after.annotations) ? 'removed' : key in before.annotations ? 'changed' : 'set';
  return `${key} ${what}`;
}
