import type { Order } from './order.ts';

/** The fields of every snapshot; plain JSON. */
export interface Seen {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  /**
   * Since when resource versions have grown, as far as the bridge knows; ms. Only versions in snapshots with the same
   * number can be compared: a restored etcd counts on from an old one.
   */
  readonly versionsSince?: number;
  readonly generation: number;
  /** RFC 3339. */
  readonly creationTimestamp: string;
  /** RFC 3339; set when deletion was requested. */
  readonly deletionTimestamp?: string;
}

/** True when the versions in two snapshots can be compared: no restore of etcd lies between them. */
export const areComparable = (before: Pick<Seen, 'versionsSince'>, after: Pick<Seen, 'versionsSince'>): boolean =>
  before.versionsSince === after.versionsSince;

/** A snapshot as it is signalled to a workflow. */
export interface Observation<Snapshot extends Seen = Seen> {
  readonly snapshot: Snapshot;
  readonly order: Order;
  /**
   * The run was reset, or Temporal's database was restored: the run discards its memory and begins from this snapshot.
   */
  readonly anew?: true;
  /** With `anew`: the `reset` of the view that this snapshot answers. */
  readonly reset?: string;
}

/** Metadata of an object in the API server; objects written by hand may lack some of it. */
type Identified = Pick<Seen, 'namespace' | 'name'> & {
  readonly [Key in Exclude<keyof Seen, 'versionsSince'>]?: Seen[Key] | undefined;
};

/** The fields that every snapshot has. */
export function identityOf(meta: Identified): Seen {
  const {
    namespace,
    name,
    uid = '',
    resourceVersion = '',
    generation = 0,
    creationTimestamp = '',
    deletionTimestamp,
  } = meta;
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    generation,
    creationTimestamp,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
}
