import type {
  Metal3ClusterSpec,
  Metal3ClusterStatus,
  Metal3ClusterTemplateSpec,
} from '../../api/metal3cluster/schema.ts';
import type {
  Metal3ClusterSpecV1Beta1,
  Metal3ClusterStatusV1Beta1,
  Metal3ClusterTemplateSpecV1Beta1,
} from '../../api/metal3cluster/v1beta1.ts';
import { type Conversion, conversion } from '../conversion/convertible.ts';
import { byText, given, unlessEmpty } from '../conversion/given.ts';
import { restoreProvisioned, restoreTemplateMetadata } from '../conversion/restore.ts';
import { withRoundTrip } from '../conversion/round-trip.ts';
import { statusFromHub, statusToHub } from '../conversion/status.ts';

type DomainsByName = NonNullable<Metal3ClusterSpecV1Beta1['failureDomains']>;
type Domains = NonNullable<Metal3ClusterSpec['failureDomains']>;
type Domain = Omit<Domains[number], 'name'>;

/** A domain that is not for control planes does not say so. */
const domain = (controlPlane: boolean | undefined, attributes: Domains[number]['attributes']): Domain => ({
  ...(controlPlane === true && { controlPlane }),
  ...given({ attributes: unlessEmpty(attributes) }),
});

function domainsToHub(byName: DomainsByName | undefined): { readonly failureDomains?: Domains } {
  const names = Object.keys(byName ?? {}).toSorted(byText);
  if (names.length === 0) return {};
  const failureDomains = names.map((name) => {
    const { controlPlane, attributes } = byName?.[name] ?? {};
    return { name, ...domain(controlPlane, attributes) };
  });
  return { failureDomains };
}

/** A name that was an empty text has been left out. */
const domainsFromHub = (
  domains: readonly Partial<Domains[number]>[] | undefined,
): { readonly failureDomains?: DomainsByName } =>
  domains === undefined
    ? {}
    : {
        failureDomains: Object.fromEntries(
          domains.map(({ name = '', controlPlane, attributes }) => [name, domain(controlPlane, attributes)]),
        ),
      };

/** v1beta1 requires host and port together; v1beta2 can have only one of them. */
function endpointToHub(
  endpoint: Metal3ClusterSpecV1Beta1['controlPlaneEndpoint'],
): Pick<Metal3ClusterSpec, 'controlPlaneEndpoint'> {
  const { host = '', port = 0 } = endpoint ?? {};
  const controlPlaneEndpoint = unlessEmpty({ ...given({ host }), ...(port !== 0 && { port }) });
  return controlPlaneEndpoint === undefined ? {} : { controlPlaneEndpoint };
}

/**
 * `noCloudProvider` is the opposite of `cloudProviderEnabled`, which takes precedence. Upstream drops `noCloudProvider`
 * on the way to v1beta2; here it is converted, so that existing clusters keep their behaviour.
 */
function specToHub(spec: Metal3ClusterSpecV1Beta1): Metal3ClusterSpec {
  const { noCloudProvider, cloudProviderEnabled, controlPlaneEndpoint, failureDomains } = spec;
  const enabled = cloudProviderEnabled ?? (noCloudProvider === undefined ? undefined : !noCloudProvider);
  return {
    ...endpointToHub(controlPlaneEndpoint),
    ...(enabled !== undefined && { cloudProviderEnabled: enabled }),
    ...domainsToHub(failureDomains),
  };
}

function specFromHub(spec: Metal3ClusterSpec): Metal3ClusterSpecV1Beta1 {
  const { cloudProviderEnabled, controlPlaneEndpoint, failureDomains } = spec;
  const endpoint = unlessEmpty(controlPlaneEndpoint);
  return {
    ...(endpoint !== undefined && {
      controlPlaneEndpoint: { host: endpoint.host ?? '', port: endpoint.port ?? 0 },
    }),
    ...(cloudProviderEnabled !== undefined && { cloudProviderEnabled, noCloudProvider: !cloudProviderEnabled }),
    ...domainsFromHub(failureDomains),
  };
}

export const metal3ClusterConversion: Conversion = withRoundTrip(
  conversion({
    specToHub,
    specFromHub,
    statusToHub: ({ lastUpdated, failureDomains, ...status }: Metal3ClusterStatusV1Beta1): Metal3ClusterStatus => ({
      ...given({ lastUpdated }),
      ...domainsToHub(failureDomains),
      ...statusToHub(status),
    }),
    statusFromHub: ({ lastUpdated, failureDomains, ...status }: Metal3ClusterStatus): Metal3ClusterStatusV1Beta1 => ({
      ...given({ lastUpdated }),
      ...domainsFromHub(failureDomains),
      ...statusFromHub(status),
    }),
  }),
  restoreProvisioned,
);

export const metal3ClusterTemplateConversion: Conversion = withRoundTrip(
  conversion({
    specIsRequired: true,
    specToHub: ({ template }: Metal3ClusterTemplateSpecV1Beta1): Metal3ClusterTemplateSpec => ({
      template: { spec: specToHub(template.spec) },
    }),
    specFromHub: ({ template }: Metal3ClusterTemplateSpec): Metal3ClusterTemplateSpecV1Beta1 => ({
      template: { spec: specFromHub(template.spec) },
    }),
  }),
  restoreTemplateMetadata,
);
