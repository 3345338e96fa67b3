import type { FollowedKind } from '../../kube/kinds.ts';
import type { Entry, Store } from '../../kube/store.ts';

/** Parts of an object. */
export interface ObjectParts {
  readonly metadata?: object;
  readonly spec?: object;
  readonly status?: object;
  /** Instead of `metal`. */
  readonly namespace?: string;
}

/** Puts an object of the namespace `metal` into a store; its uid is `<name>-uid`, its version 7. */
export function putIn(
  store: Store,
  kind: FollowedKind,
  name: string,
  { metadata, namespace: home = 'metal', ...rest }: ObjectParts = {},
): Entry {
  const namespace = kind.isClusterScoped ? '' : home;
  const identity = { namespace, name, uid: `${name}-uid`, resourceVersion: '7' };
  const made = { creationTimestamp: '2026-01-01T00:00:00Z', generation: 1 };
  const entry = { ...identity, object: { metadata: { ...identity, ...made, ...metadata }, ...rest } };
  store.put(kind, entry);
  return entry;
}
