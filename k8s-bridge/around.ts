import type { Client } from '@temporalio/client';
import type { Kube } from '../kube/client.ts';
import type { Store, Stores } from '../kube/store.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics/registry.ts';
import type { Ledger } from './ledger.ts';

/** What a bridge gives to its parts; each names what it takes. */
export interface Around {
  readonly kube: Kube;
  readonly client: Client;
  readonly store: Store;
  readonly stores: Stores;
  readonly ledger: Ledger;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly record: Metrics['record'];
  /** ms since the epoch. */
  readonly now: () => number;
}
