import type {
  Metal3MachineSpec,
  Metal3MachineStatus,
  Metal3MachineTemplateSpecGiven,
} from '../../api/metal3machine/schema.ts';
import type {
  Metal3MachineSpecV1Beta1,
  Metal3MachineStatusV1Beta1,
  Metal3MachineTemplateSpecV1Beta1,
} from '../../api/metal3machine/v1beta1.ts';
import { type Conversion, conversion } from '../conversion/convertible.ts';
import { given, unlessEmpty } from '../conversion/given.ts';
import { convertReference } from '../conversion/references.ts';
import { restoreNoChecksum, restoreProvisioned, restoreTemplateMetadata } from '../conversion/restore.ts';
import { withRoundTrip } from '../conversion/round-trip.ts';
import { statusFromHub, statusToHub } from '../conversion/status.ts';

/**
 * In v1beta2 an empty checksum differs from a missing one, so a checksum from v1beta1 is always set. Without a URL or
 * anything else there is no image: upstream shows such a one in v1beta1 where v1beta2 has none.
 */
function imageToHub(image: Metal3MachineSpecV1Beta1['image']): Pick<Metal3MachineSpec, 'image'> {
  if (image === undefined || Object.keys(image).length === 0) return {};
  const { checksum = '', format, ...same } = image;
  return { image: { ...same, checksum, ...given({ diskFormat: format }) } };
}

/**
 * Upstream writes `""` for a missing `checksumType` or `format`, which its own schema refuses; here they are left out.
 */
function imageFromHub(image: Metal3MachineSpec['image']): Pick<Metal3MachineSpecV1Beta1, 'image'> {
  if (image === undefined) return {};
  const { url, checksum, checksumType, diskFormat } = image;
  return { image: { url, ...given({ checksum, checksumType, format: diskFormat }) } };
}

type Selector = NonNullable<Metal3MachineSpec['hostSelector']>;

/** An empty list of values is always written: both schemas require it. */
function selector({ matchLabels, matchExpressions }: Selector): NonNullable<Metal3MachineSpecV1Beta1['hostSelector']> {
  return given({
    matchLabels: unlessEmpty(matchLabels),
    matchExpressions: matchExpressions?.map(({ values = [], ...rule }) => ({
      ...(given(rule) as typeof rule),
      values,
    })),
  });
}

function specToHub(spec: Metal3MachineSpecV1Beta1): Metal3MachineSpec {
  const { image, customDeploy, hostSelector, dataTemplate: template, providerID, failureDomain, ...same } = spec;
  const dataTemplate = convertReference(template);
  const selecting = unlessEmpty(selector(hostSelector ?? {}));
  return {
    ...same,
    ...given({ providerID, failureDomain }),
    ...imageToHub(image),
    ...given({ customDeploy: unlessEmpty(customDeploy) }),
    ...(selecting !== undefined && { hostSelector: selecting }),
    ...(dataTemplate !== undefined && { dataTemplate }),
  };
}

/** A selector is always shown, an empty one for none. */
function specFromHub({ image, hostSelector, ...same }: Metal3MachineSpec): Metal3MachineSpecV1Beta1 {
  return { ...same, ...imageFromHub(image), hostSelector: selector(hostSelector ?? {}) };
}

/** `phase` was never set. */
function machineStatusToHub(status: Metal3MachineStatusV1Beta1): Metal3MachineStatus {
  const { lastUpdated, addresses, userData, metaData, networkData, renderedData: rendered } = status;
  const renderedData = convertReference(rendered);
  return {
    ...given({ lastUpdated, addresses, userData, metaData, networkData, renderedData }),
    ...statusToHub(status),
  };
}

function machineStatusFromHub(status: Metal3MachineStatus): Metal3MachineStatusV1Beta1 {
  const { lastUpdated, addresses, userData, metaData, networkData, renderedData } = status;
  return {
    ...given({ lastUpdated, addresses, userData, metaData, networkData, renderedData }),
    ...statusFromHub(status),
  };
}

export const metal3MachineConversion: Conversion = withRoundTrip(
  conversion({
    specToHub,
    specFromHub,
    statusToHub: machineStatusToHub,
    statusFromHub: machineStatusFromHub,
  }),
  (converted, before) => restoreNoChecksum(restoreProvisioned(converted, before), before, 'spec'),
);

export const metal3MachineTemplateConversion: Conversion = withRoundTrip(
  conversion({
    specIsRequired: true,
    specToHub: ({ template, nodeReuse }: Metal3MachineTemplateSpecV1Beta1): Metal3MachineTemplateSpecGiven => ({
      template: { spec: specToHub(template.spec) },
      ...(nodeReuse === true && { nodeReuse }),
    }),
    specFromHub: ({
      template,
      nodeReuse = false,
    }: Metal3MachineTemplateSpecGiven): Metal3MachineTemplateSpecV1Beta1 => ({
      template: { spec: specFromHub(template.spec) },
      nodeReuse,
    }),
  }),
  (converted, before) =>
    restoreNoChecksum(restoreTemplateMetadata(converted, before), before, 'spec', 'template', 'spec'),
);
