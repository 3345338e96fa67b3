import type { NetworkData } from '../../api/metal3datatemplate/schema.ts';
import type { Content } from './content.ts';
import { annotationOf, type DataInputs, DataProblem, macOfNic, objectNamed } from './facts.ts';

type Links = NonNullable<NetworkData['links']>;
type Bond = NonNullable<Links['bonds']>[number];
type Ethernet = NonNullable<Links['ethernets']>[number];
type Vlan = NonNullable<Links['vlans']>[number];
type MacAddress = NonNullable<Bond['macAddress']>;
type Entry = Readonly<Record<string, Content>>;

/** Order: bonds, then NICs, then VLANs. */
export const renderLinks = ({ bonds = [], ethernets = [], vlans = [] }: Links, facts: DataInputs): readonly Entry[] => [
  ...bonds.map((link) => bondEntry(link, facts)),
  ...ethernets.map((link) => ethernetEntry(link, facts)),
  ...vlans.map((link) => vlanEntry(link, facts)),
];

function bondEntry(link: Bond, facts: DataInputs): Entry {
  const entry: Record<string, Content> = {
    ...common(link, 'bond'),
    bond_mode: link.bondMode,
    bond_xmit_hash_policy: link.bondXmitHashPolicy ?? '',
    bond_links: link.bondLinks ?? null,
    ...macEntry('ethernet_mac_address', link, facts),
  };
  const illegal: string[] = [];
  for (const { name, value } of link.parameters ?? []) {
    const key = `bond_${name}`;
    if (Object.hasOwn(entry, key)) illegal.push(name);
    // Any JSON value, as the user wrote it.
    else entry[key] = (value ?? null) as Content;
  }
  if (illegal.length === 0) return entry;
  throw new DataProblem(`illegal params "${illegal.join('", "')}" into bond params blob into link id=${link.id}`);
}

const ethernetEntry = (link: Ethernet, facts: DataInputs): Entry => ({
  ...common(link, link.type),
  ...macEntry('ethernet_mac_address', link, facts),
});

function vlanEntry(link: Vlan, facts: DataInputs): Entry {
  return {
    ...common(link, 'vlan'),
    vlan_link: link.vlanLink,
    vlan_id: link.vlanID,
    ...macEntry('vlan_mac_address', link, facts),
  };
}

const common = (link: Bond | Ethernet | Vlan, type: string): Entry => ({
  type,
  id: link.id,
  mtu: link.mtu,
  ...(link.name !== undefined && link.name !== '' && { name: link.name }),
});

const macEntry = (key: string, { id, macAddress }: Bond | Ethernet | Vlan, facts: DataInputs): Entry =>
  macAddress === undefined ? {} : { [key]: macOf(macAddress, id, facts) };

const MAC_ADDRESS = /^(?:[0-9A-Fa-f]{2}[:-]){5}[0-9A-Fa-f]{2}$/;

/** Case and separators are kept as given. */
function macOf(mac: MacAddress, link: string, facts: DataInputs): string {
  const { found, lack } = lookFor(mac, facts);
  if (MAC_ADDRESS.test(found)) return found;
  throw new DataProblem(`bad MAC address: ${found === '' ? `${lack} (link ${link})` : found}`);
}

/** `lack` is the message when nothing is found. */
function lookFor(
  { string = '', fromHostInterface = '', fromAnnotation }: MacAddress,
  facts: DataInputs,
): { readonly found: string; readonly lack: string } {
  if (string !== '') return { found: string, lack: '' };
  if (fromHostInterface !== '') {
    const lack = `NIC ${fromHostInterface} of BareMetalHost ${facts.host.name} has none`;
    return { found: macOfNic(fromHostInterface, facts.host), lack };
  }
  if (fromAnnotation === undefined) return { found: '', lack: 'none is given' };
  const { object, annotation } = fromAnnotation;
  const lack = `annotation ${annotation} not found or empty on ${object} ${objectNamed(object, facts).name}`;
  return { found: annotationOf(fromAnnotation, facts), lack };
}
