import { isDeepStrictEqual } from 'node:util';
import { type IronicConnection, type OpenConnection, openConnection } from './connection.ts';

/** The current connection. Requested before each request, because it may change. */
export interface ConnectionSource {
  current(): Promise<OpenConnection>;
  close(): Promise<void>;
}

export async function fixedSource(connection: IronicConnection): Promise<ConnectionSource> {
  const open = await openConnection(connection);
  return { current: () => Promise.resolve(open), close: () => open.close() };
}

/**
 * Looks up Ironic when it is needed and the last lookup is older than this (ms). Opens a new connection when address or
 * credentials changed; running requests on the old one may end.
 */
export function followedSource(
  find: () => Promise<IronicConnection>,
  ttlMs: number,
  now: () => number = () => performance.now(),
): ConnectionSource {
  let known: { readonly details: IronicConnection; readonly open: OpenConnection; readonly until: number } | undefined;
  let looking: Promise<OpenConnection> | undefined;

  async function look(): Promise<OpenConnection> {
    const details = await find();
    const before = known;
    const isSame = before !== undefined && isDeepStrictEqual(details, before.details);
    const open = isSame ? before.open : await openConnection(details);
    known = { details, open, until: now() + ttlMs };
    if (before !== undefined && !isSame) void before.open.close().catch(() => undefined);
    return open;
  }

  return {
    async current() {
      if (known !== undefined && now() < known.until) return known.open;
      looking ??= look().finally(() => {
        looking = undefined;
      });
      return looking;
    },
    async close() {
      await looking?.catch(() => undefined);
      await known?.open.close();
    },
  };
}
