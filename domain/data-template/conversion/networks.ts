import type { NetworkDataGiven } from '../../../api/metal3datatemplate/schema.ts';
import type { NetworkDataV1Beta1 } from '../../../api/metal3datatemplate/v1beta1.ts';
import { given, unlessEmpty } from '../../conversion/given.ts';

type Networks = NonNullable<NetworkDataGiven['networks']>;
type OldNetworks = NonNullable<NetworkDataV1Beta1['networks']>;
type Pooled = NonNullable<Networks['ipv4']>[number];
type OldPooled = NonNullable<OldNetworks['ipv4']>[number];
type Route = NonNullable<Pooled['routes']>[number];
type OldRoute = NonNullable<OldPooled['routes']>[number];
type Pool = NonNullable<Pooled['fromPoolRef']>;
type OldPool = NonNullable<OldPooled['fromPoolRef']>;

/** An empty reference is dropped. Without a group the default of v1beta2 applies. */
const poolToHub = (pool: OldPool | undefined): { readonly fromPoolRef?: Pool | undefined } =>
  given({ fromPoolRef: unlessEmpty(pool) });

/** The reference is always present, as upstream writes it. */
const poolFromHub = ({ name = '', kind = '', apiGroup }: Partial<Pool> = {}): { readonly fromPoolRef: OldPool } => ({
  fromPoolRef: { kind, name, ...given({ apiGroup }) },
});

function routeToHub({ network, prefix = 0, gateway, services }: OldRoute): Route {
  const { fromPoolRef, ...same } = gateway;
  return {
    network,
    ...(prefix !== 0 && { prefix }),
    gateway: { ...same, ...poolToHub(fromPoolRef) },
    ...given({ services: unlessEmpty(services) }),
  };
}

const routeFromHub = ({ gateway, prefix = 0, services = {}, ...same }: Route): OldRoute => ({
  ...same,
  ...(prefix !== 0 && { prefix }),
  services,
  gateway: { ...gateway, ...poolFromHub(gateway.fromPoolRef) },
});

interface Network {
  readonly routes?: readonly OldRoute[] | undefined;
}

const networkToHub = <Any extends Network>({ routes, ...same }: Any) => ({
  ...same,
  ...given({ routes: routes?.map(routeToHub) }),
});

const networkFromHub = <Any extends { readonly routes?: readonly Route[] | undefined }>({ routes, ...same }: Any) => ({
  ...same,
  ...given({ routes: routes?.map(routeFromHub) }),
});

const pooledToHub = ({ fromPoolRef, ...network }: OldPooled): Pooled => ({
  ...networkToHub(network),
  ...poolToHub(fromPoolRef),
});

const pooledFromHub = ({ fromPoolRef, ...network }: Pooled): OldPooled => ({
  ...networkFromHub(network),
  ...poolFromHub(fromPoolRef),
});

export const networksToHub = ({ ipv4, ipv6, ipv4DHCP, ipv6DHCP, ipv6SLAAC }: OldNetworks): Networks =>
  given({
    ipv4: ipv4?.map(pooledToHub),
    ipv6: ipv6?.map(pooledToHub),
    ipv4DHCP: ipv4DHCP?.map(networkToHub),
    ipv6DHCP: ipv6DHCP?.map(networkToHub),
    ipv6SLAAC: ipv6SLAAC?.map(networkToHub),
  });

export const networksFromHub = ({ ipv4, ipv6, ipv4DHCP, ipv6DHCP, ipv6SLAAC }: Networks): OldNetworks =>
  given({
    ipv4: ipv4?.map(pooledFromHub),
    // Only here does v1beta1 require a pool, even an empty one.
    ipv6: ipv6?.map(({ ipAddressFromIPPool = '', ...network }) => ({ ...pooledFromHub(network), ipAddressFromIPPool })),
    ipv4DHCP: ipv4DHCP?.map(networkFromHub),
    ipv6DHCP: ipv6DHCP?.map(networkFromHub),
    ipv6SLAAC: ipv6SLAAC?.map(networkFromHub),
  });
