import { namesOf, v1alpha1Resource } from '../custom-resource.ts';
import { column, readyMessage, reasonColumn } from '../meta/columns.ts';
import { bareMetalHost } from './kind.ts';
import { bareMetalHostSpec } from './spec.ts';
import { bareMetalHostStatus } from './status.ts';

export const bareMetalHostResource = v1alpha1Resource({
  ...namesOf(bareMetalHost),
  shortNames: ['bmh', 'bmhost'],
  description: 'A physical server, managed through its BMC.',
  columns: [
    column('Status', '.status.operationalStatus', 'Health of the host', { priority: 1 }),
    column('State', '.status.provisioning.state', 'Provisioning state of the host'),
    column('Consumer', '.spec.consumerRef.name', 'Consumer of the host'),
    column('BMC', '.spec.bmc.address', 'URL of the BMC', { priority: 1 }),
    column('Online', '.spec.online', 'Whether the host should be powered on'),
    column('Error', '.status.errorType', 'Type of the last error'),
    column('Age', '.metadata.creationTimestamp', 'Time since the host was created', { type: 'date' }),
    reasonColumn(readyMessage('.status.conditions')),
    column(
      'Paused',
      '.metadata.annotations.baremetalhost\\.metal3\\.io/paused',
      'Value of the annotation that pauses the host, which is not written meanwhile',
      { priority: 1 },
    ),
  ],
  spec: bareMetalHostSpec,
  status: bareMetalHostStatus,
});
