import type { Binding } from './binding.ts';
import type { Reconciler } from './reconcile.ts';
import type { OwnObjects } from './watch/own-objects.ts';
import type { KeyedQueue } from './watch/queue.ts';

/** The parts for one kind with workflows. */
export interface Controller {
  readonly binding: Binding;
  readonly own: OwnObjects;
  readonly queue: KeyedQueue;
  readonly reconciler: Reconciler;
  /** Resolves when the kind and all related kinds are listed. */
  readonly ready: Promise<void>;
  readonly isReady: () => boolean;
}

export type Controllers = ReadonlyMap<string, Controller>;

/** A key that includes the kind, for queues and sets with objects of all kinds. */
export const keyInAll = (kind: string, key: string): string => `${kind}:${key}`;

export function splitKey(keyOfAll: string): { readonly kind: string; readonly key: string } {
  const colon = keyOfAll.indexOf(':');
  return { kind: keyOfAll.slice(0, colon), key: keyOfAll.slice(colon + 1) };
}
