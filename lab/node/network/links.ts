import type { LabInventory } from '../../machines/inventory.ts';
import type { NetworkLink } from './network-data.ts';
import { quoted, WrongNetworkData } from './subnet.ts';

/** The MAC addresses of the NICs behind each link, by the link's id: those of a bond are those of its links. */
export function macsOf(
  links: readonly NetworkLink[],
  nics: LabInventory['nics'],
): ReadonlyMap<string, readonly string[]> {
  const byId = new Map(links.map((link) => [link.id, link]));
  const macsBehind = (id: string, users: readonly string[]): readonly string[] => {
    const link = byId.get(id);
    if (link === undefined) throw new WrongNetworkData(`link ${users[0]}: there is no link ${id}`);
    if (users.includes(id)) throw new WrongNetworkData(`link ${id} is on itself`);
    const used = [id, ...users];
    if (link.type === 'bond') return (link.bond_links ?? []).flatMap((one) => macsBehind(one, used));
    if (link.type === 'vlan') return macsBehind(link.vlan_link ?? '', used);
    const { ethernet_mac_address: mac = '' } = link;
    if (nics.some((nic) => nic.mac === mac)) return [mac];
    throw new WrongNetworkData(`link ${id}: the machine has no NIC with the MAC address ${quoted(mac)}`);
  };
  return new Map(links.map(({ id }) => [id, macsBehind(id, [])]));
}
