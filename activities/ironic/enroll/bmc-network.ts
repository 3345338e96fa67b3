import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import type { BmcAddress } from '../../../domain/bmc/address.ts';

/** True for an IPv6 address and for a name that resolves to one first; false for an unknown name. */
export async function isReachedByIpv6({ hostname }: Pick<BmcAddress, 'hostname'>): Promise<boolean> {
  if (hostname === '' || isIPv6(hostname)) return hostname !== '';
  const found = await lookup(hostname, { order: 'verbatim' }).catch(() => undefined);
  return found?.family === 6;
}
