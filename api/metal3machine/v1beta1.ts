import { z } from 'zod';
import { AUTOMATED_CLEANING_MODES } from '../baremetalhost/values.ts';
import { conditionsToCome, deprecatedConditions, FAILURE_MESSAGE, failureReason } from '../meta/deprecated.ts';
import { objectReference, secretReference } from '../meta/references.ts';
import { text, time } from '../meta/scalars.ts';
import { CHECKSUM_TYPES, DISK_FORMATS, MACHINE_ADDRESS_TYPES } from './values.ts';

const image = z.object({
  url: z.string().describe('Where the image is downloaded from: http(s)://, file:// or oci://.'),
  checksum: z
    .string()
    .describe('Checksum of the image, or the URL of a file that lists it. Not for live-iso and oci:// images.')
    .optional(),
  checksumType: z.enum(CHECKSUM_TYPES).describe('Algorithm of the checksum.').optional(),
  format: z.enum(DISK_FORMATS).describe('Format of the image.').optional(),
});

const labelRequirement = z.object({
  key: z.string().describe('Name of the label.'),
  operator: z
    .string()
    .describe('How it is compared, in any case of letters: In, NotIn, Exists, DoesNotExist, =, ==, !=, Gt or Lt.'),
  values: z.array(z.string()).describe('What it is compared with; empty for Exists and DoesNotExist.'),
});

export const metal3MachineSpecV1Beta1 = z
  .object({
    providerID: z
      .string()
      .describe('Identifies the machine to Kubernetes: metal3://<namespace>/<host>/<machine>. Set once it has a host.')
      .optional(),
    image: image.describe('Image the host is deployed with. Give this, or customDeploy, or both.').optional(),
    customDeploy: z
      .object({ method: z.string().describe('Name of the deploy step, as the ramdisk in use offers it.') })
      .describe('Deploy step of a ramdisk of your own.')
      .optional(),
    userData: secretReference
      .describe('Secret with the user data; the bootstrap Secret of the Machine goes before it.')
      .optional(),
    metaData: secretReference
      .describe('Secret with metadata of your own, instead of what dataTemplate makes.')
      .optional(),
    networkData: secretReference
      .describe('Secret with a network configuration of your own, instead of what dataTemplate makes.')
      .optional(),
    hostSelector: z
      .object({
        matchLabels: z
          .record(z.string(), z.string())
          .describe('Labels a host must have, with their values.')
          .optional(),
        matchExpressions: z
          .array(labelRequirement)
          .describe('Further rules for the labels of a host; it has to agree with all of them.')
          .optional(),
      })
      .describe('Which BareMetalHosts may be taken; any of the namespace when left out.')
      .optional(),
    dataTemplate: objectReference
      .describe(
        'Metal3DataTemplate that metadata and network configuration are made from; its name and namespace count.',
      )
      .optional(),
    automatedCleaningMode: z
      .enum(AUTOMATED_CLEANING_MODES)
      .describe('Whether the partition tables of the disks of the host are wiped when it is given back.')
      .optional(),
    failureDomain: z
      .string()
      .describe('Failure domain of the Machine; hosts with its label are preferred. Copied from the Machine.')
      .optional(),
  })
  .describe('What the machine should be.');

export const metal3MachineStatusV1Beta1 = z
  .object({
    ready: z.boolean().describe('Whether the machine runs.').optional(),
    phase: z.string().describe('Never filled in.').optional(),
    lastUpdated: time().describe('When the status was last worked out.').optional(),
    failureReason: failureReason.optional(),
    failureMessage: z.string().describe(FAILURE_MESSAGE).optional(),
    addresses: z
      .array(
        z.object({
          type: z.enum(MACHINE_ADDRESS_TYPES).describe('What kind of address it is.'),
          address: text({ minLength: 1, maxLength: 256 }).describe('The address.'),
        }),
      )
      .describe('Addresses of the machine, as inspection of its host found them.')
      .optional(),
    conditions: deprecatedConditions.optional(),
    userData: secretReference.describe('Secret with the user data that is in use.').optional(),
    metaData: secretReference.describe('Secret with the metadata that is in use.').optional(),
    networkData: secretReference.describe('Secret with the network configuration that is in use.').optional(),
    renderedData: objectReference.describe('Metal3Data that was made for the machine.').optional(),
    v1beta2: conditionsToCome.optional(),
  })
  .describe('What the machine is.');

export const metal3MachineTemplateSpecV1Beta1 = z
  .object({
    template: z.object({ spec: metal3MachineSpecV1Beta1 }).describe('The Metal3Machine to be made.'),
    nodeReuse: z
      .boolean()
      .describe('Whether a host that an upgrade sets free is kept for the same control plane or deployment.')
      .default(false),
  })
  .describe('What the Metal3Machines of a control plane or a deployment are made from.');
