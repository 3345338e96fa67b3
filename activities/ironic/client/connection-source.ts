import { isDeepStrictEqual } from 'node:util';
import {
  type ConnectionDetails,
  detailsOf,
  type IronicConnection,
  type OpenConnection,
  openConnection,
} from './connection.ts';

/** The current connection. Requested before each request, because it may change. */
export interface ConnectionSource {
  current(): Promise<OpenConnection>;
  /** The last one, without a look whether it has changed, unless there was none: for a request that may not wait. */
  last(): Promise<OpenConnection>;
  close(): Promise<void>;
}

/** Before a request, files are read again when they were last read longer ago than this (ms). */
export const FILES_MS = 10_000;

/**
 * Ironic at an address from the settings. Throws when its files can't be used. When changed files can't be used (a
 * certificate without its key, an empty password), the previous content stays in use.
 */
export async function fixedSource(connection: IronicConnection, now?: () => number): Promise<ConnectionSource> {
  let usable = await detailsOf(connection);
  const find = async (): Promise<ConnectionDetails> => {
    usable = await detailsOf(connection).catch(() => usable);
    return usable;
  };
  return followedSource(find, FILES_MS, now);
}

/**
 * Looks up Ironic when it is needed and the last lookup is older than this (ms). Opens a new connection when address or
 * credentials changed; running requests on the old one may end.
 */
export function followedSource(
  find: () => Promise<ConnectionDetails>,
  ttlMs: number,
  now: () => number = () => performance.now(),
): ConnectionSource {
  let known: { readonly details: ConnectionDetails; readonly open: OpenConnection; readonly until: number } | undefined;
  let looking: Promise<OpenConnection> | undefined;

  async function look(): Promise<OpenConnection> {
    const details = await find();
    const before = known;
    const isSame = before !== undefined && isDeepStrictEqual(details, before.details);
    const open = isSame ? before.open : openConnection(details);
    known = { details, open, until: now() + ttlMs };
    if (before !== undefined && !isSame) void before.open.close().catch(() => undefined);
    return open;
  }

  async function current(): Promise<OpenConnection> {
    if (known !== undefined && now() < known.until) return known.open;
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  return {
    current,
    last: async () => known?.open ?? current(),
    async close() {
      await looking?.catch(() => undefined);
      await known?.open.close();
    },
  };
}
