import type { Order } from './order.ts';

/** What every snapshot tells of its object; plain JSON, as a signal carries it. */
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

/** A snapshot on its way from the bridge to a workflow. */
export interface Observation<Snapshot extends Seen = Seen> {
  readonly snapshot: Snapshot;
  readonly order: Order;
  /** The run is to forget what it remembers and begin from this snapshot: it was reset, or its database was restored. */
  readonly anew?: true;
}
