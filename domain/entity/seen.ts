/** What every snapshot tells of its object; plain JSON, as a signal carries it. */
export interface Seen {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly generation: number;
  /** RFC 3339. */
  readonly creationTimestamp: string;
  /** RFC 3339; set once somebody asked for the object to be deleted. */
  readonly deletionTimestamp?: string;
}

/**
 * Resource versions grow with every change anywhere in the cluster and are compared as the numbers they are. A cluster
 * that was rebuilt counts anew: there another object is the newer one by its time of creation, and of the same object a
 * new generation or a deletion is news.
 */
export function isOlder(a: Seen, b: Seen): boolean {
  if (a.uid !== b.uid && a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp;
  const isNews =
    a.generation > b.generation || (a.deletionTimestamp !== undefined && b.deletionTimestamp === undefined);
  if (a.uid === b.uid && isNews) return false;
  const [left, right] = [a.resourceVersion, b.resourceVersion];
  return left.length === right.length ? left < right : left.length < right.length;
}
