import type { CustomResource } from '../custom-resource.ts';
import { bareMetalHostSpec } from './spec.ts';
import { bareMetalHostStatus } from './status.ts';

export const bareMetalHostResource: CustomResource = {
  group: 'metal3.io',
  kind: 'BareMetalHost',
  plural: 'baremetalhosts',
  singular: 'baremetalhost',
  shortNames: ['bmh', 'bmhost'],
  description: 'A physical machine, managed over its management controller.',
  versions: [
    {
      name: 'v1alpha1',
      columns: [
        {
          name: 'Status',
          type: 'string',
          jsonPath: '.status.operationalStatus',
          description: 'How the host does',
          priority: 1,
        },
        {
          name: 'State',
          type: 'string',
          jsonPath: '.status.provisioning.state',
          description: 'Where the host is in its life',
        },
        { name: 'Consumer', type: 'string', jsonPath: '.spec.consumerRef.name', description: 'Who uses the host' },
        {
          name: 'BMC',
          type: 'string',
          jsonPath: '.spec.bmc.address',
          description: 'URL of the management controller',
          priority: 1,
        },
        { name: 'Online', type: 'string', jsonPath: '.spec.online', description: 'Whether the host is wanted on' },
        { name: 'Error', type: 'string', jsonPath: '.status.errorType', description: 'What failed last' },
        {
          name: 'Age',
          type: 'date',
          jsonPath: '.metadata.creationTimestamp',
          description: 'Time since the host was created',
        },
      ],
      spec: bareMetalHostSpec,
      status: bareMetalHostStatus,
      hasStatusSubresource: true,
    },
  ],
};
