import type { MetaDataGiven, MetaDataV1Beta1 } from '../../../api/metal3datatemplate/types.ts';
import { given } from '../parts/given.ts';

type Pools = NonNullable<MetaDataV1Beta1['ipAddressesFromIPPool']>;
type Indexes = NonNullable<MetaDataV1Beta1['indexes']>;
type Interfaces = NonNullable<MetaDataV1Beta1['fromHostInterfaces']>;

/** When group or kind is missing, the defaults of v1beta2 apply. */
const poolsToHub = (pools: Pools | undefined): MetaDataGiven['ipAddressesFromPool'] =>
  pools?.map(({ key, name, apiGroup, kind }) => ({ key, name, ...given({ apiGroup, kind }) }));

const poolsFromHub = (pools: MetaDataGiven['ipAddressesFromPool']): Pools | undefined =>
  pools?.map(({ apiGroup = '', kind = '', ...same }) => ({ ...same, apiGroup, kind }));

const indexesToHub = (indexes: Indexes | undefined): MetaDataGiven['indexes'] =>
  indexes?.map(({ key, offset = 0, step = 0, prefix, suffix }) => ({
    key,
    ...(offset !== 0 && { offset }),
    ...(step !== 0 && { step }),
    ...given({ prefix, suffix }),
  }));

const interfacesToHub = (interfaces: Interfaces | undefined): MetaDataGiven['fromHostInterfaces'] =>
  interfaces?.map(({ interface: name, ...same }) => ({ ...same, ...given({ interface: name }) }));

/** Zero and false are the values of v1beta1 for fields that are left out. */
const indexesFromHub = (indexes: MetaDataGiven['indexes']): Indexes | undefined =>
  indexes?.map(({ offset = 0, step = 0, ...same }) => ({
    ...same,
    ...(offset !== 0 && { offset }),
    ...(step !== 0 && { step }),
  }));

const interfacesFromHub = (interfaces: MetaDataGiven['fromHostInterfaces']): Interfaces | undefined =>
  interfaces?.map(({ fromBootMAC, ...same }) => ({ ...same, ...(fromBootMAC === true && { fromBootMAC }) }));

/** Lists of pools have other names in v1beta2; empty lists are left out. */
export function metaDataToHub(metaData: MetaDataV1Beta1): MetaDataGiven {
  const { ipAddressesFromIPPool, prefixesFromIPPool, gatewaysFromIPPool, dnsServersFromIPPool, ...rest } = metaData;
  const { indexes, fromHostInterfaces, ...same } = rest;
  return given({
    ...same,
    indexes: indexesToHub(indexes),
    ipAddressesFromPool: poolsToHub(ipAddressesFromIPPool),
    prefixesFromPool: poolsToHub(prefixesFromIPPool),
    gatewaysFromPool: poolsToHub(gatewaysFromIPPool),
    dnsServersFromPool: poolsToHub(dnsServersFromIPPool),
    fromHostInterfaces: interfacesToHub(fromHostInterfaces),
  });
}

export function metaDataFromHub(metaData: MetaDataGiven): MetaDataV1Beta1 {
  const { ipAddressesFromPool, prefixesFromPool, gatewaysFromPool, dnsServersFromPool, ...rest } = metaData;
  const { indexes, fromHostInterfaces, ...same } = rest;
  return given({
    ...same,
    indexes: indexesFromHub(indexes),
    fromHostInterfaces: interfacesFromHub(fromHostInterfaces),
    ipAddressesFromIPPool: poolsFromHub(ipAddressesFromPool),
    prefixesFromIPPool: poolsFromHub(prefixesFromPool),
    gatewaysFromIPPool: poolsFromHub(gatewaysFromPool),
    dnsServersFromIPPool: poolsFromHub(dnsServersFromPool),
  });
}
