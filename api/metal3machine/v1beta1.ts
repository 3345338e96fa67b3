import { z } from 'zod';
import { conditionsToCome, deprecatedConditions, FAILURE_MESSAGE, failureReason } from '../meta/deprecated.ts';
import type { DeepReadonly } from '../meta/readonly.ts';
import { objectReference } from '../meta/references.ts';
import { metal3MachineSpec, metal3MachineStatus, metal3MachineTemplateSpec } from './schema.ts';

/** The fields that both versions share. */
const spec = metal3MachineSpec.shape;
const status = metal3MachineStatus.shape;
const { checksumType, diskFormat } = spec.image.unwrap().shape;
const { matchLabels } = spec.hostSelector.unwrap().shape;

const image = z.object({
  url: z.string().describe('URL of the image: http(s)://, file:// or oci://.'),
  checksum: z
    .string()
    .describe('Checksum of the image, or the URL of a file that lists it. Not allowed for live-iso and oci:// images.')
    .optional(),
  checksumType,
  format: diskFormat,
});

const labelRequirement = z.object({
  key: z.string().describe('Name of the label.'),
  operator: z
    .string()
    .describe('Operator, in upper or lower case: In, NotIn, Exists, DoesNotExist, =, ==, !=, Gt or Lt.'),
  values: z.array(z.string()).describe('Values to compare with; empty for Exists and DoesNotExist.'),
});

export const metal3MachineSpecV1Beta1 = z
  .object({
    providerID: z
      .string()
      .describe('providerID of the machine: metal3://<namespace>/<host>/<machine>. Set when the machine has a host.')
      .optional(),
    image: image.describe('Image to deploy on the host. Set this, customDeploy, or both.').optional(),
    customDeploy: z
      .object({ method: z.string().describe('Name of the deploy step in the deploy agent.') })
      .describe('Custom deploy step of the deploy agent.')
      .optional(),
    userData: spec.userData,
    metaData: spec.metaData,
    networkData: spec.networkData,
    hostSelector: z
      .object({
        matchLabels,
        matchExpressions: z
          .array(labelRequirement)
          .describe('Further rules for the labels of a host; it must satisfy all of them.')
          .optional(),
      })
      .describe('Selects the BareMetalHosts that can be chosen; all hosts of the namespace when left out.')
      .optional(),
    dataTemplate: objectReference
      .describe('Metal3DataTemplate for metadata and network configuration; only its name and namespace are used.')
      .optional(),
    automatedCleaningMode: spec.automatedCleaningMode,
    failureDomain: z
      .string()
      .describe('Failure domain, copied from the Machine. Hosts with this label are preferred.')
      .optional(),
  })
  .describe('Desired state of the machine.');
export type Metal3MachineSpecV1Beta1 = DeepReadonly<z.input<typeof metal3MachineSpecV1Beta1>>;

export const metal3MachineStatusV1Beta1 = z
  .object({
    ready: z.boolean().describe('Whether the machine is provisioned.').optional(),
    phase: z.string().describe('Always empty.').optional(),
    lastUpdated: status.lastUpdated,
    failureReason: failureReason.optional(),
    failureMessage: z.string().describe(FAILURE_MESSAGE).optional(),
    addresses: z
      .array(z.object(status.addresses.unwrap().element.shape))
      .describe('Addresses of the machine, as inspection of its host reported them.')
      .optional(),
    conditions: deprecatedConditions.optional(),
    userData: status.userData,
    metaData: status.metaData,
    networkData: status.networkData,
    renderedData: objectReference.describe('Metal3Data that was created for the machine.').optional(),
    v1beta2: conditionsToCome.optional(),
  })
  .describe('Observed state of the machine.');
export type Metal3MachineStatusV1Beta1 = DeepReadonly<z.input<typeof metal3MachineStatusV1Beta1>>;

export const metal3MachineTemplateSpecV1Beta1 = z
  .object({
    template: z.object({ spec: metal3MachineSpecV1Beta1 }).describe('The Metal3Machine to create.'),
    nodeReuse: metal3MachineTemplateSpec.shape.nodeReuse,
  })
  .describe('Template for the Metal3Machines of a control plane or a MachineDeployment.');
export type Metal3MachineTemplateSpecV1Beta1 = DeepReadonly<z.input<typeof metal3MachineTemplateSpecV1Beta1>>;
