import type { PrinterColumn } from '../custom-resource.ts';
import { infrastructureResource } from '../infrastructure.ts';
import { ageColumn, clusterColumn, readyMessage, reasonColumn } from '../meta/columns.ts';
import { metal3MachineSpec, metal3MachineStatus, metal3MachineTemplateSpec } from './schema.ts';
import { metal3MachineSpecV1Beta1, metal3MachineStatusV1Beta1, metal3MachineTemplateSpecV1Beta1 } from './v1beta1.ts';

const providerIdColumn: PrinterColumn = {
  name: 'ProviderID',
  type: 'string',
  jsonPath: '.spec.providerID',
  description: 'providerID of the machine',
};

export const metal3MachineResource = infrastructureResource({
  kind: 'Metal3Machine',
  plural: 'metal3machines',
  singular: 'metal3machine',
  shortNames: ['m3m', 'm3machine', 'm3machines', 'metal3m', 'metal3machine'],
  description: 'Infrastructure of a Machine of Cluster API: a BareMetalHost, deployed for the Machine.',
  versions: [
    {
      name: 'v1beta1',
      isDeprecated: true,
      columns: [
        ageColumn,
        providerIdColumn,
        { name: 'Ready', type: 'string', jsonPath: '.status.ready', description: 'Whether the machine is provisioned' },
        clusterColumn,
        { name: 'Phase', type: 'string', jsonPath: '.status.phase', description: 'Always empty' },
        reasonColumn(readyMessage('.status.v1beta2.conditions')),
      ],
      spec: metal3MachineSpecV1Beta1,
      status: metal3MachineStatusV1Beta1,
      hasStatusSubresource: true,
    },
    {
      name: 'v1beta2',
      columns: [
        ageColumn,
        providerIdColumn,
        {
          name: 'Provisioned',
          type: 'string',
          jsonPath: '.status.initialization.provisioned',
          description: 'Whether the machine is provisioned',
        },
        clusterColumn,
        reasonColumn(readyMessage('.status.conditions')),
      ],
      spec: metal3MachineSpec,
      status: metal3MachineStatus,
      hasStatusSubresource: true,
    },
  ],
});

export const metal3MachineTemplateResource = infrastructureResource({
  kind: 'Metal3MachineTemplate',
  plural: 'metal3machinetemplates',
  singular: 'metal3machinetemplate',
  shortNames: ['m3mt', 'm3machinetemplate', 'm3machinetemplates', 'metal3mt', 'metal3machinetemplate'],
  description: 'Template for the Metal3Machines of a control plane or a MachineDeployment.',
  versions: [
    {
      name: 'v1beta1',
      isDeprecated: true,
      columns: [ageColumn],
      spec: metal3MachineTemplateSpecV1Beta1,
      hasStatusSubresource: false,
    },
    {
      name: 'v1beta2',
      columns: [ageColumn],
      spec: metal3MachineTemplateSpec,
      needsSpec: true,
      hasStatusSubresource: false,
    },
  ],
});
