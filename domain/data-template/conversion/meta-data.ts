import type { MetaDataGiven } from '../../../api/metal3datatemplate/schema.ts';
import type { MetaDataV1Beta1 } from '../../../api/metal3datatemplate/v1beta1.ts';
import { given } from '../../conversion/given.ts';

type Pools = NonNullable<MetaDataV1Beta1['ipAddressesFromIPPool']>;
type Indexes = NonNullable<MetaDataV1Beta1['indexes']>;
type Interfaces = NonNullable<MetaDataV1Beta1['fromHostInterfaces']>;

const poolsFromHub = (pools: MetaDataGiven['ipAddressesFromPool']): Pools | undefined =>
  pools?.map(({ apiGroup = '', kind = '', ...same }) => ({ ...same, apiGroup, kind }));

const interfacesToHub = (interfaces: Interfaces | undefined): MetaDataGiven['fromHostInterfaces'] =>
  interfaces?.map(({ fromBootMAC = false, ...same }) => ({ ...same, fromBootMAC }));

/** Zero and false are the values of v1beta1 for fields that are left out. */
const withoutZeros = (indexes: Indexes | undefined): Indexes | undefined =>
  indexes?.map(({ offset = 0, step = 0, ...same }) => ({
    ...same,
    ...(offset !== 0 && { offset }),
    ...(step !== 0 && { step }),
  }));

const interfacesFromHub = (interfaces: MetaDataGiven['fromHostInterfaces']): Interfaces | undefined =>
  interfaces?.map(({ fromBootMAC, ...same }) => ({ ...same, ...(fromBootMAC === true && { fromBootMAC }) }));

/** Lists of pools have other names in v1beta2. When group or kind is missing there, its defaults apply. */
export function metaDataToHub(metaData: MetaDataV1Beta1): MetaDataGiven {
  const { ipAddressesFromIPPool, prefixesFromIPPool, gatewaysFromIPPool, dnsServersFromIPPool, ...rest } = metaData;
  const { indexes, fromHostInterfaces, ...same } = rest;
  return given({
    ...same,
    indexes: withoutZeros(indexes),
    ipAddressesFromPool: ipAddressesFromIPPool,
    prefixesFromPool: prefixesFromIPPool,
    gatewaysFromPool: gatewaysFromIPPool,
    dnsServersFromPool: dnsServersFromIPPool,
    fromHostInterfaces: interfacesToHub(fromHostInterfaces),
  });
}

export function metaDataFromHub(metaData: MetaDataGiven): MetaDataV1Beta1 {
  const { ipAddressesFromPool, prefixesFromPool, gatewaysFromPool, dnsServersFromPool, ...rest } = metaData;
  const { indexes, fromHostInterfaces, ...same } = rest;
  return given({
    ...same,
    indexes: withoutZeros(indexes),
    fromHostInterfaces: interfacesFromHub(fromHostInterfaces),
    ipAddressesFromIPPool: poolsFromHub(ipAddressesFromPool),
    prefixesFromIPPool: poolsFromHub(prefixesFromPool),
    gatewaysFromIPPool: poolsFromHub(gatewaysFromPool),
    dnsServersFromIPPool: poolsFromHub(dnsServersFromPool),
  });
}
