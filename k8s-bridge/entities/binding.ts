import type { Seen } from '../../domain/entity/seen.ts';
import type { FollowedKind } from '../../kube/kinds.ts';
import type { Kept } from '../../kube/reflector.ts';
import type { HostEntry } from '../watch.ts';

/** An object as the API server holds it, without `managedFields`; read no further than its identity. */
export interface Entry extends Kept {
  readonly object: unknown;
}

/** The objects that are known at this moment. Empty for a kind whose CRD is not installed. */
export interface Stores {
  get(kind: FollowedKind, key: string): Entry | undefined;
  values(kind: FollowedKind): Iterable<Entry>;
  /** BareMetalHosts have a watch of their own. */
  host(key: string): HostEntry | undefined;
  hosts(): readonly HostEntry[];
  /** Secrets are followed by their metadata alone. */
  hasSecret(key: string): boolean;
}

/** How an object that its CRD let in, and that we can't read, is told of. */
export interface Unreadable {
  readonly problems: readonly string[];
}

/** How objects of one kind become snapshots for their workflows. */
export interface Binding {
  readonly followed: FollowedKind;
  readonly workflowType: string;
  readonly finalizer: string;
  /** Whatever the snapshot is made of, beside the objects themselves. */
  readonly related: readonly FollowedKind[];
  /**
   * Keys of the objects (of this binding's kind) whose snapshot a changed object of a related kind, or a changed
   * BareMetalHost (`kind` null), is part of. Called with the object as it is now and as it was.
   */
  concerned(kind: FollowedKind | null, object: Entry | HostEntry, stores: Stores): Iterable<string>;
  /** The same for a Secret that came, changed or went. */
  concernedBySecret?(key: string, stores: Stores): Iterable<string>;
  /** The object and all its decisions depend on; undefined: it has nothing to do with us. */
  observe(entry: Entry, stores: Stores): Seen | Unreadable | undefined;
  /** What of a snapshot a workflow is told anew for; `resourceVersion` and what only we write do not count. */
  essence(snapshot: Seen): unknown;
}

export const isUnreadable = (answer: Seen | Unreadable): answer is Unreadable => 'problems' in answer;
