import type { NetworkDataGiven } from '../../../api/metal3datatemplate/schema.ts';
import type { NetworkDataV1Beta1 } from '../../../api/metal3datatemplate/v1beta1.ts';
import { byText, given } from '../../conversion/given.ts';

type Links = NonNullable<NetworkDataGiven['links']>;
type OldLinks = NonNullable<NetworkDataV1Beta1['links']>;
type Bond = NonNullable<Links['bonds']>[number];
type OldBond = NonNullable<OldLinks['bonds']>[number];
type Mac = Bond['macAddress'];

interface Link {
  readonly name?: string | undefined;
  readonly mtu?: number | undefined;
  readonly macAddress: Mac;
}

/** Both texts are written even when empty, as upstream does. */
const macFromHub = ({ string = '', fromHostInterface = '', ...same }: Mac): Mac => ({
  ...same,
  string,
  fromHostInterface,
});

const linkToHub = <Any extends Link>({ mtu = 0, ...same }: Any): Omit<Any, 'mtu'> & { readonly mtu?: number } => ({
  ...same,
  ...(mtu !== 0 && { mtu }),
});

const linkFromHub = <Any extends Link>(link: Any): Any => ({ ...link, macAddress: macFromHub(link.macAddress) });

function bondToHub({ parameters = {}, bondLinks, ...bond }: OldBond): Bond {
  const inOrder = Object.keys(parameters)
    .toSorted(byText)
    .map((name) => ({ name, ...(parameters[name] !== null && { value: parameters[name] }) }));
  return { ...linkToHub(bond), ...given({ bondLinks, parameters: inOrder }) };
}

const bondFromHub = ({ parameters, ...bond }: Bond): OldBond => ({
  ...linkFromHub(bond),
  ...(parameters !== undefined && {
    parameters: Object.fromEntries(parameters.map(({ name, value = null }) => [name, value])),
  }),
});

export const linksToHub = ({ ethernets, bonds, vlans }: OldLinks): Links =>
  given({ ethernets: ethernets?.map(linkToHub), bonds: bonds?.map(bondToHub), vlans: vlans?.map(linkToHub) });

export const linksFromHub = ({ ethernets, bonds, vlans }: Links): OldLinks =>
  given({ ethernets: ethernets?.map(linkFromHub), bonds: bonds?.map(bondFromHub), vlans: vlans?.map(linkFromHub) });
