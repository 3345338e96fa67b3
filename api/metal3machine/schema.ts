import { z } from 'zod';
import { AUTOMATED_CLEANING_MODES } from '../baremetalhost/values.ts';
import { conditions, initialization } from '../meta/conditions.ts';
import { deprecatedStatus } from '../meta/deprecated.ts';
import { set } from '../meta/lists.ts';
import { anyObject, templateMetadata } from '../meta/object-meta.ts';
import type { DeepReadonly } from '../meta/readonly.ts';
import { namedReference, secretReference } from '../meta/references.ts';
import { boundedText, time, word } from '../meta/scalars.ts';

const image = z.object({
  url: word().meta({ format: 'uri' }).describe('URL of the image: http(s)://, file:// or oci://.'),
  checksum: boundedText({ minLength: 0, maxLength: 512 })
    .describe('Checksum of the image, or the URL of a file that lists it. Not allowed for live-iso and oci:// images.')
    .optional(),
  checksumType: z.enum(['md5', 'sha256', 'sha512']).describe('Algorithm of the checksum.').optional(),
  diskFormat: z.enum(['raw', 'qcow2', 'vdi', 'vmdk', 'live-iso']).describe('Format of the image.').optional(),
});

const labelRequirement = z
  .object({
    key: word().describe('Name of the label.'),
    operator: z
      .string()
      .describe('Operator, in upper or lower case: In, NotIn, Exists, DoesNotExist, =, ==, !=, Gt or Lt.'),
    values: set(word(), { maxItems: 512 })
      .describe('Values to compare with; empty for Exists and DoesNotExist.')
      .optional()
      // Upstream's conversion stores an empty list of v1beta1 as none.
      .meta({ 'x-required': true }),
  })
  .describe('Rule for one label of a host.');

export const metal3MachineSpec = z
  .object({
    providerID: word()
      .describe('providerID of the machine: metal3://<namespace>/<host>/<machine>. Set when the machine has a host.')
      .optional(),
    image: image.describe('Image to deploy on the host. Set this, customDeploy, or both.').optional(),
    customDeploy: z
      .object({ method: word().describe('Name of the deploy step in the deploy agent.') })
      .describe('Custom deploy step of the deploy agent.')
      .optional(),
    userData: secretReference
      .describe('Secret with the user data. The bootstrap Secret of the Machine takes precedence.')
      .optional(),
    metaData: secretReference
      .describe('Secret with your own metadata, instead of metadata from dataTemplate.')
      .optional(),
    networkData: secretReference
      .describe('Secret with your own network configuration, instead of one from dataTemplate.')
      .optional(),
    hostSelector: z
      .object({
        matchLabels: z
          .record(z.string(), z.string())
          .describe('Labels that a host must have, with their values.')
          .optional(),
        // No list keyed by `key`: a range needs two rules for one label, and v1beta1 accepts them.
        matchExpressions: z
          .array(labelRequirement)
          .describe('Further rules for the labels of a host; it must satisfy all of them. Several may name one label.')
          .meta({ minItems: 1, maxItems: 512 })
          .optional(),
      })
      .describe('Selects the BareMetalHosts that can be chosen; all hosts of the namespace when left out.')
      .optional(),
    dataTemplate: namedReference.describe('Metal3DataTemplate for metadata and network configuration.').optional(),
    automatedCleaningMode: z
      .enum(AUTOMATED_CLEANING_MODES)
      .describe('Whether the partition tables of the disks of the host are erased when the host is released.')
      .optional(),
    failureDomain: boundedText({ minLength: 1, maxLength: 256 })
      .describe('Failure domain, copied from the Machine. Hosts with this label are preferred.')
      .optional(),
  })
  .describe('Desired state of the machine.');
export type Metal3MachineSpec = DeepReadonly<z.infer<typeof metal3MachineSpec>>;

export const metal3MachineStatus = z
  .object({
    conditions: conditions.optional(),
    initialization: initialization('Whether the machine is provisioned'),
    lastUpdated: time().describe('Time at which the status was last updated.').optional(),
    addresses: z
      .array(
        z
          .object({
            type: z
              .enum(['Hostname', 'ExternalIP', 'InternalIP', 'ExternalDNS', 'InternalDNS'])
              .describe('Type of the address.'),
            address: boundedText({ minLength: 1, maxLength: 256 }).describe('The address.'),
          })
          .describe('One address of the machine.'),
      )
      .describe('Addresses of the machine, as inspection of its host reported them.')
      .meta({ minItems: 1, maxItems: 32, 'x-kubernetes-list-type': 'atomic' })
      .optional(),
    userData: secretReference.describe('Secret with the user data in use.').optional(),
    metaData: secretReference.describe('Secret with the metadata in use.').optional(),
    networkData: secretReference.describe('Secret with the network configuration in use.').optional(),
    renderedData: namedReference.describe('Metal3Data that was created for the machine.').optional(),
    deprecated: deprecatedStatus.optional(),
  })
  .describe('Observed state of the machine.');
export type Metal3MachineStatus = DeepReadonly<z.infer<typeof metal3MachineStatus>>;

/** A Metal3Machine as read from the API server. */
export const metal3Machine = anyObject.extend({
  spec: metal3MachineSpec.prefault({}),
  status: metal3MachineStatus.optional(),
});
export type Metal3Machine = DeepReadonly<z.infer<typeof metal3Machine>>;

export const metal3MachineTemplateSpec = z
  .object({
    template: z
      .object({
        metadata: templateMetadata.describe('Labels of each Metal3Machine.').optional(),
        spec: metal3MachineSpec,
      })
      .describe('The Metal3Machine to create.'),
    nodeReuse: z
      .boolean()
      .describe('Whether a released host is reserved for the same control plane or MachineDeployment.')
      .default(false),
  })
  .describe('Template for the Metal3Machines of a control plane or a MachineDeployment.');
export type Metal3MachineTemplateSpec = DeepReadonly<z.infer<typeof metal3MachineTemplateSpec>>;
/** The spec as in a manifest, before defaults are applied. */
export type Metal3MachineTemplateSpecGiven = DeepReadonly<z.input<typeof metal3MachineTemplateSpec>>;
