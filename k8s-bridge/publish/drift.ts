import { readObject } from '../../kube/objects/any-object.ts';
import type { Entry, Stores } from '../../kube/store.ts';
import type { Binding } from '../binding.ts';
import { digestOfStatus } from '../digest.ts';
import type { Written } from '../ledger.ts';

export interface Comparison {
  readonly entry: Entry;
  readonly written: Written;
  readonly stores: Stores;
}

/** Compares an object with its last write, and with what could be shown. */
export function driftOf(binding: Binding, { entry, written, stores }: Comparison): 'none' | 'drifted' {
  if (written.letGo) return 'none';
  const { metadata, status } = readObject(entry.object);
  const isChanged = entry.resourceVersion !== written.resourceVersion && digestOfStatus(status) !== written.status;
  const isLoose =
    written.held && metadata.deletionTimestamp === undefined && !metadata.finalizers.includes(binding.finalizer);
  return isChanged || isLoose || binding.isStale?.(entry, written, stores) ? 'drifted' : 'none';
}
