/** The fields of every snapshot; plain JSON, sent as a signal. */
export interface Seen {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  /** RFC 3339. */
  readonly creationTimestamp: string;
  /** RFC 3339; set when deletion was requested. */
  readonly deletionTimestamp?: string;
}

/**
 * Resource versions grow with every change in the cluster and are compared as numbers. In a rebuilt cluster they start
 * again: then the object created later is newer, and for the same object a new generation or a deletion counts as
 * newer.
 */
export function isOlder(a: Seen, b: Seen): boolean {
  if (a.uid !== b.uid && a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp;
  const isNews =
    a.generation > b.generation || (a.deletionTimestamp !== undefined && b.deletionTimestamp === undefined);
  if (a.uid === b.uid && isNews) return false;
  const [left, right] = [a.resourceVersion, b.resourceVersion];
  return left.length === right.length ? left < right : left.length < right.length;
}
