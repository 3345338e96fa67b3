import { z } from 'zod';
import { AUTOMATED_CLEANING_MODES } from '../baremetalhost/values.ts';
import { conditions } from '../meta/conditions.ts';
import { deprecatedStatus } from '../meta/deprecated.ts';
import { keyedList, set } from '../meta/lists.ts';
import { objectMeta, templateMetadata } from '../meta/object-meta.ts';
import { namedReference, secretReference } from '../meta/references.ts';
import { text, time, word } from '../meta/scalars.ts';
import { CHECKSUM_TYPES, DISK_FORMATS, MACHINE_ADDRESS_TYPES } from './values.ts';

const image = z.object({
  url: word().meta({ format: 'uri' }).describe('Where the image is downloaded from: http(s)://, file:// or oci://.'),
  checksum: text({ minLength: 0, maxLength: 512 })
    .describe('Checksum of the image, or the URL of a file that lists it. Not for live-iso and oci:// images.')
    .optional(),
  checksumType: z.enum(CHECKSUM_TYPES).describe('Algorithm of the checksum.').optional(),
  diskFormat: z.enum(DISK_FORMATS).describe('Format of the image.').optional(),
});

const labelRequirement = z
  .object({
    key: word().describe('Name of the label.'),
    operator: z
      .string()
      .describe('How it is compared, in any case of letters: In, NotIn, Exists, DoesNotExist, =, ==, !=, Gt or Lt.'),
    values: set(word(), { maxItems: 512 }).describe('What it is compared with; empty for Exists and DoesNotExist.'),
  })
  .describe('What one label of a host has to be like.');

export const metal3MachineSpec = z
  .object({
    providerID: word()
      .describe('Identifies the machine to Kubernetes: metal3://<namespace>/<host>/<machine>. Set once it has a host.')
      .optional(),
    image: image.describe('Image the host is deployed with. Give this, or customDeploy, or both.').optional(),
    customDeploy: z
      .object({ method: word().describe('Name of the deploy step, as the ramdisk in use offers it.') })
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
        matchExpressions: keyedList(labelRequirement, 'key')
          .describe('Further rules for the labels of a host; it has to agree with all of them.')
          .optional(),
      })
      .describe('Which BareMetalHosts may be taken; any of the namespace when left out.')
      .optional(),
    dataTemplate: namedReference
      .describe('Metal3DataTemplate that metadata and network configuration are made from.')
      .optional(),
    automatedCleaningMode: z
      .enum(AUTOMATED_CLEANING_MODES)
      .describe('Whether the partition tables of the disks of the host are wiped when it is given back.')
      .optional(),
    failureDomain: text({ minLength: 1, maxLength: 256 })
      .describe('Failure domain of the Machine; hosts with its label are preferred. Copied from the Machine.')
      .optional(),
  })
  .describe('What the machine should be.');

export const metal3MachineStatus = z
  .object({
    conditions: conditions.optional(),
    initialization: z
      .object({
        provisioned: z.boolean().describe('Whether the machine runs; Cluster API waits for it.').optional(),
      })
      .describe('How far the first setting up has come.')
      .meta({ minProperties: 1 })
      .optional(),
    lastUpdated: time().describe('When the status was last worked out.').optional(),
    addresses: z
      .array(
        z
          .object({
            type: z.enum(MACHINE_ADDRESS_TYPES).describe('What kind of address it is.'),
            address: text({ minLength: 1, maxLength: 256 }).describe('The address.'),
          })
          .describe('One address of the machine.'),
      )
      .describe('Addresses of the machine, as inspection of its host found them.')
      .meta({ minItems: 1, maxItems: 32, 'x-kubernetes-list-type': 'atomic' })
      .optional(),
    userData: secretReference.describe('Secret with the user data that is in use.').optional(),
    metaData: secretReference.describe('Secret with the metadata that is in use.').optional(),
    networkData: secretReference.describe('Secret with the network configuration that is in use.').optional(),
    renderedData: namedReference.describe('Metal3Data that was made for the machine.').optional(),
    deprecated: deprecatedStatus.optional(),
  })
  .describe('What the machine is.');

/** A Metal3Machine as read from the API server. */
export const metal3Machine = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: objectMeta,
  spec: metal3MachineSpec.prefault({}),
  status: metal3MachineStatus.optional(),
});

export const metal3MachineTemplateSpec = z
  .object({
    template: z
      .object({
        metadata: templateMetadata.describe('What each Metal3Machine is labelled with.').optional(),
        spec: metal3MachineSpec,
      })
      .describe('The Metal3Machine to be made.'),
    nodeReuse: z
      .boolean()
      .describe('Whether a host that an upgrade sets free is kept for the same control plane or deployment.')
      .default(false),
  })
  .describe('What the Metal3Machines of a control plane or a deployment are made from.');

/** A Metal3MachineTemplate as read from the API server. */
export const metal3MachineTemplate = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: objectMeta,
  spec: metal3MachineTemplateSpec,
});
