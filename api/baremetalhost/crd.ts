import type { CustomResource } from '../custom-resource.ts';
import { readyMessage, reasonColumn } from '../meta/columns.ts';
import { bareMetalHostSpec } from './spec.ts';
import { bareMetalHostStatus } from './status.ts';

export const bareMetalHostResource: CustomResource = {
  group: 'metal3.io',
  kind: 'BareMetalHost',
  plural: 'baremetalhosts',
  singular: 'baremetalhost',
  shortNames: ['bmh', 'bmhost'],
  description: 'A physical server, managed through its BMC.',
  versions: [
    {
      name: 'v1alpha1',
      columns: [
        {
          name: 'Status',
          type: 'string',
          jsonPath: '.status.operationalStatus',
          description: 'Health of the host',
          priority: 1,
        },
        {
          name: 'State',
          type: 'string',
          jsonPath: '.status.provisioning.state',
          description: 'Provisioning state of the host',
        },
        { name: 'Consumer', type: 'string', jsonPath: '.spec.consumerRef.name', description: 'Consumer of the host' },
        {
          name: 'BMC',
          type: 'string',
          jsonPath: '.spec.bmc.address',
          description: 'URL of the BMC',
          priority: 1,
        },
        {
          name: 'Online',
          type: 'string',
          jsonPath: '.spec.online',
          description: 'Whether the host should be powered on',
        },
        { name: 'Error', type: 'string', jsonPath: '.status.errorType', description: 'Type of the last error' },
        {
          name: 'Age',
          type: 'date',
          jsonPath: '.metadata.creationTimestamp',
          description: 'Time since the host was created',
        },
        reasonColumn(readyMessage('.status.conditions')),
        {
          name: 'Paused',
          type: 'string',
          jsonPath: '.metadata.annotations.baremetalhost\\.metal3\\.io/paused',
          description: 'Value of the annotation that pauses the host, which is not written meanwhile',
          priority: 1,
        },
      ],
      spec: bareMetalHostSpec,
      status: bareMetalHostStatus,
      hasStatusSubresource: true,
    },
  ],
};
