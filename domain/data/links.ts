import type { NetworkData } from '../../api/metal3datatemplate/types.ts';
import type { YamlValue } from '../go/yaml.ts';
import { annotationOf, DataProblem, type MachineFacts, macOfNic } from './facts.ts';

type Links = NonNullable<NetworkData['links']>;
type Bond = NonNullable<Links['bonds']>[number];
type Ethernet = NonNullable<Links['ethernets']>[number];
type Vlan = NonNullable<Links['vlans']>[number];
type MacAddress = Bond['macAddress'];
type Entry = Readonly<Record<string, YamlValue>>;

/** Bonds first, then NICs, then VLANs. */
export const renderLinks = (
  { bonds = [], ethernets = [], vlans = [] }: Links,
  facts: MachineFacts,
): readonly Entry[] => [
  ...bonds.map((link) => bondEntry(link, facts)),
  ...ethernets.map((link) => ethernetEntry(link, facts)),
  ...vlans.map((link) => vlanEntry(link, facts)),
];

function bondEntry(link: Bond, facts: MachineFacts): Entry {
  const entry: Record<string, YamlValue> = {
    ...common(link, 'bond'),
    bond_mode: link.bondMode,
    bond_xmit_hash_policy: link.bondXmitHashPolicy ?? '',
    bond_links: link.bondLinks ?? null,
    ...macEntry('ethernet_mac_address', link.macAddress, facts),
  };
  const illegal: string[] = [];
  for (const { name, value } of link.parameters ?? []) {
    const key = `bond_${name}`;
    if (Object.hasOwn(entry, key)) illegal.push(name);
    // Any JSON, as the user wrote it.
    else entry[key] = (value ?? null) as YamlValue;
  }
  if (illegal.length === 0) return entry;
  throw new DataProblem(`illegal params "${illegal.join('", "')}" into bond params blob into link id=${link.id}`);
}

const ethernetEntry = (link: Ethernet, facts: MachineFacts): Entry => ({
  ...common(link, link.type),
  ...macEntry('ethernet_mac_address', link.macAddress, facts),
});

function vlanEntry(link: Vlan, facts: MachineFacts): Entry {
  return {
    ...common(link, 'vlan'),
    vlan_link: link.vlanLink,
    vlan_id: link.vlanID,
    ...macEntry('vlan_mac_address', link.macAddress, facts),
  };
}

const common = (link: Bond | Ethernet | Vlan, type: string): Entry => ({
  type,
  id: link.id,
  mtu: link.mtu,
  ...(link.name !== undefined && link.name !== '' && { name: link.name }),
});

const macEntry = (key: string, mac: MacAddress | undefined, facts: MachineFacts): Entry =>
  mac === undefined ? {} : { [key]: macOf(mac, facts) };

const MAC_ADDRESS = /^(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$/;

/** As it was given, whatever its case and its separators. */
function macOf({ string = '', fromHostInterface = '', fromAnnotation }: MacAddress, facts: MachineFacts): string {
  const address = (): string => {
    if (string !== '') return string;
    if (fromHostInterface !== '') return macOfNic(fromHostInterface, facts.host);
    return fromAnnotation === undefined ? '' : annotationOf(fromAnnotation, facts);
  };
  const found = address();
  if (!MAC_ADDRESS.test(found)) throw new DataProblem(`bad MAC address: ${found}`);
  return found;
}
