import type { Client } from '@temporalio/client';
import type { Log } from '../../platform/log.ts';
import type { Metrics } from '../../platform/metrics/registry.ts';
import { type Listing, prepareListing } from '../../platform/temporal/search-attributes.ts';
import type { EntityOptions } from '../../workflows/messages.ts';
import { TEMPER_STATE } from '../../workflows/search-attributes.ts';

export interface RunOptionsDeps {
  readonly client: Client;
  readonly historyLimit: number | undefined;
  readonly log: Log;
  readonly record: Metrics['record'];
}

/** The options with which runs are started. */
export interface RunOptions {
  /** Throws while Temporal has not answered yet. */
  readonly current: () => Promise<EntityOptions>;
  /** Asks Temporal, and registers the search attribute if it is missing. */
  readonly prepare: () => Promise<void>;
  /** The same while runs can't be listed by state. */
  readonly prepareIfOff: () => Promise<void>;
}

/** A server that refuses the search attribute costs the lists by state, and nothing else. */
export function createRunOptions({ client, historyLimit, log, record }: RunOptionsDeps): RunOptions {
  let known: Listing | undefined;

  const prepare = async (): Promise<void> => {
    const listing = await prepareListing(client);
    record({ name: 'temper_runs_listed_by_state', labels: {}, value: listing.kind === 'on' ? 1 : 0 });
    if (listing.kind === 'off' && known?.kind !== 'off') {
      const { namespace } = client.options;
      log.warn(
        { searchAttribute: TEMPER_STATE.name, namespace, error: listing.reason },
        'Temporal refuses the search attribute: new runs cannot be listed by state until somebody creates it, with type Keyword',
      );
    }
    if (listing.kind === 'on' && known?.kind === 'off') log.info('new runs can be listed by state');
    known = listing;
  };

  return {
    prepare,
    async prepareIfOff() {
      if (known?.kind === 'off') await prepare();
    },
    async current() {
      if (known === undefined) await prepare();
      return {
        ...(historyLimit !== undefined && { historyLimit }),
        ...(known?.kind === 'off' && { unlisted: true as const }),
      };
    },
  };
}
