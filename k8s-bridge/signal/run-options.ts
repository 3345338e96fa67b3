import { type ListingSupport, prepareListing } from '../../platform/temporal/search-attributes.ts';
import type { EntityOptions } from '../../workflows/messages.ts';
import type { Around } from '../around.ts';

export interface RunOptionsDeps extends Pick<Around, 'client' | 'log' | 'record'> {
  readonly historyLimit: number | undefined;
}

/** How a run is started. */
export interface Begin {
  readonly options: EntityOptions;
  /** The namespace has all search attributes. */
  readonly isListed: boolean;
}

/** The options with which runs are started. */
export interface RunOptions {
  /** Throws while Temporal has not answered yet. */
  readonly current: () => Promise<Begin>;
  /** Asks Temporal, and registers the search attributes that are missing. */
  readonly prepare: () => Promise<void>;
  /** Like `prepare`, but only while runs can't be listed by all search attributes. */
  readonly prepareIfOff: () => Promise<void>;
}

/** Prepares options of runs. When a server refuses search attributes, only lists by them are missing. */
export function createRunOptions({ client, historyLimit, log, record }: RunOptionsDeps): RunOptions {
  let known: ListingSupport | undefined;

  const prepare = async (): Promise<void> => {
    const listing = await prepareListing(client);
    record({ name: 'temper_runs_listed_by_state', labels: {}, value: listing.kind === 'off' ? 0 : 1 });
    if (listing.kind !== 'on' && known?.kind !== listing.kind) {
      const { namespace } = client.options;
      log.warn(
        { searchAttributes: listing.missing, namespace, error: listing.reason },
        'Temporal refuses search attributes: new runs cannot be listed by them until somebody creates them (docs/temporal.md)',
      );
    }
    if (listing.kind === 'on' && known !== undefined && known.kind !== 'on')
      log.info('new runs can be listed by all search attributes');
    known = listing;
  };

  return {
    prepare,
    async prepareIfOff() {
      if (known !== undefined && known.kind !== 'on') await prepare();
    },
    async current() {
      if (known === undefined) await prepare();
      return {
        options: {
          ...(historyLimit !== undefined && { historyLimit }),
          ...(known?.kind === 'off' && { unlisted: true as const }),
        },
        isListed: known?.kind === 'on',
      };
    },
  };
}
