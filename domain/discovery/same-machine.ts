import { isV4, parseAddress } from '../ip-pool/address.ts';

/** What tells a machine from others. */
export interface MachineIdentity {
  /** The MAC address that it boots from, in lower case; '' when it is not known. */
  readonly bootMac: string;
  /** MAC addresses of its hardware, in lower case. */
  readonly macs: readonly string[];
  /** Addresses of its BMC, as anybody has written them; without host names. */
  readonly bmcAddresses: readonly string[];
}

/**
 * True for two machines that share MAC addresses and are different nevertheless: some vendors give the same address to
 * the USB network interface of each server. Their boot MAC addresses must be known, and neither may be an address of the
 * other machine; their BMCs must have different addresses, of the same family.
 */
export function areDifferent(one: MachineIdentity, other: MachineIdentity): boolean {
  if (one.bootMac === '' || other.bootMac === '' || one.bootMac === other.bootMac) return false;
  if (one.macs.includes(other.bootMac) || other.macs.includes(one.bootMac)) return false;
  const bmcs = bmcsOf(one);
  const others = bmcsOf(other);
  if (bmcs.some((bmc) => others.includes(bmc))) return false;
  return [true, false].some((v4) => [bmcs, others].every((all) => all.some((bmc) => isV4(bmc) === v4)));
}

const bmcsOf = ({ bmcAddresses }: MachineIdentity): readonly bigint[] =>
  bmcAddresses.flatMap((text) => parseAddress(text) ?? []);

/** Machines of which many may share a MAC address. */
export interface MachineIndex<Item> {
  add(item: Item, identity: MachineIdentity): void;
  /**
   * Those that share a MAC address with this machine and are not different from it; one may come more than once. Does not
   * go through all others that share the address.
   */
  alike(identity: MachineIdentity): Iterable<Item>;
}

export function createMachineIndex<Item>(): MachineIndex<Item> {
  /** By the MAC address, then by what can be compared. */
  const byMac = new Map<string, Map<number, Item[]>>();
  const byBootMac = new Map<string, Item[]>();
  const byMacAndBmc = new Map<string, Item[]>();

  function* comparedBy({ bootMac, macs, bmcAddresses }: MachineIdentity): Generator<Item> {
    for (const mac of new Set([bootMac, ...macs])) yield* byBootMac.get(mac) ?? [];
    for (const items of byMac.get(bootMac)?.values() ?? []) yield* items;
    for (const mac of macsOf({ bootMac, macs }))
      for (const bmc of bmcsOf({ bootMac, macs, bmcAddresses })) yield* byMacAndBmc.get(`${mac} ${bmc}`) ?? [];
  }

  return {
    add(item, identity) {
      for (const mac of macsOf(identity)) {
        const items = byMac.get(mac) ?? new Map<number, Item[]>();
        byMac.set(mac, items);
        put(items, comparableBy(identity), item);
        for (const bmc of new Set(bmcsOf(identity))) put(byMacAndBmc, `${mac} ${bmc}`, item);
      }
      if (identity.bootMac !== '') put(byBootMac, identity.bootMac, item);
    },
    *alike(identity) {
      const comparable = comparableBy(identity);
      for (const mac of macsOf(identity))
        for (const [by, items] of byMac.get(mac) ?? []) if ((by & comparable) === 0) yield* items;
      yield* comparedBy(identity);
    },
  };
}

/** What a machine can be compared by with one that shares a MAC address, as bits: IPv4 and IPv6 addresses of its BMC. */
const comparableBy = (identity: MachineIdentity): number =>
  identity.bootMac === '' ? 0 : bmcsOf(identity).reduce((bits, bmc) => bits | (isV4(bmc) ? 1 : 2), 0);

/** All its MAC addresses. */
const macsOf = ({ bootMac, macs }: Pick<MachineIdentity, 'bootMac' | 'macs'>): ReadonlySet<string> =>
  new Set([bootMac, ...macs].filter((mac) => mac !== ''));

export function put<Key, Item>(lists: Map<Key, Item[]>, key: Key, item: Item): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [item]);
  else list.push(item);
}

/** A key for the address of a BMC: the same for all spellings of one IP address or host name. */
export const bmcKey = (text: string): string => String(parseAddress(text) ?? text.toLowerCase());
