import { isV4 } from '../ip-pool/address.ts';
import { bmcsOf, type MachineIdentity } from './same-machine.ts';

/** Machines of which many may share a MAC address. */
export interface MachineIndex<Item> {
  add(item: Item, identity: MachineIdentity): void;
  /**
   * Those that share a MAC address with this machine and are not different from it (`areDifferent`); one may come more
   * than once. Does not go through all others that share the address.
   */
  alike(identity: MachineIdentity): Iterable<Item>;
}

export function createMachineIndex<Item>(): MachineIndex<Item> {
  /** By the MAC address, then by what can be compared. */
  const byMac = new Map<string, Map<number, Item[]>>();
  const byBootMac = new Map<string, Item[]>();
  const byMacAndBmc = new Map<string, Item[]>();

  return {
    add(item, identity) {
      const { bootMac, macs, bmcs, comparableBy } = keysOf(identity);
      for (const mac of macs) {
        const items = byMac.get(mac) ?? new Map<number, Item[]>();
        byMac.set(mac, items);
        put(items, comparableBy, item);
        for (const bmc of bmcs) put(byMacAndBmc, `${mac} ${bmc}`, item);
      }
      put(byBootMac, bootMac, item);
    },
    *alike(identity) {
      const { bootMac, macs, bmcs, comparableBy } = keysOf(identity);
      for (const mac of macs) {
        for (const [by, items] of byMac.get(mac) ?? []) if ((by & comparableBy) === 0) yield* items;
        yield* byBootMac.get(mac) ?? [];
        for (const bmc of bmcs) yield* byMacAndBmc.get(`${mac} ${bmc}`) ?? [];
      }
      for (const items of byMac.get(bootMac)?.values() ?? []) yield* items;
    },
  };
}

interface Keys extends Pick<MachineIdentity, 'bootMac'> {
  /** All its MAC addresses. */
  readonly macs: ReadonlySet<string>;
  readonly bmcs: ReadonlySet<bigint>;
  /** What it can be compared by with one that shares a MAC address, as bits: IPv4 and IPv6 addresses of its BMC. */
  readonly comparableBy: number;
}

function keysOf(identity: MachineIdentity): Keys {
  const { bootMac } = identity;
  const bmcs = new Set(bmcsOf(identity));
  const families = [...bmcs].reduce((bits, bmc) => bits | (isV4(bmc) ? 1 : 2), 0);
  return {
    bootMac,
    macs: new Set([bootMac, ...identity.macs].filter((mac) => mac !== '')),
    bmcs,
    comparableBy: bootMac === '' ? 0 : families,
  };
}

function put<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}
