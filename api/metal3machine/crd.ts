import { namesOf, type PrinterColumn } from '../custom-resource.ts';
import { infrastructureResource } from '../infrastructure.ts';
import { ageColumn, clusterColumn, column, readyMessage, reasonColumn } from '../meta/columns.ts';
import { metal3Machine, metal3MachineTemplate } from './kind.ts';
import { metal3MachineSpec, metal3MachineStatus, metal3MachineTemplateSpec } from './schema.ts';
import { metal3MachineSpecV1Beta1, metal3MachineStatusV1Beta1, metal3MachineTemplateSpecV1Beta1 } from './v1beta1.ts';

const providerIdColumn: PrinterColumn = column('ProviderID', '.spec.providerID', 'providerID of the machine');

export const metal3MachineResource = infrastructureResource({
  ...namesOf(metal3Machine),
  shortNames: ['m3m', 'm3machine', 'm3machines', 'metal3m', 'metal3machine'],
  description: 'Infrastructure of a Machine of Cluster API: a BareMetalHost, deployed for the Machine.',
  v1beta1: {
    columns: [
      ageColumn,
      providerIdColumn,
      column('Ready', '.status.ready', 'Whether the machine is provisioned'),
      clusterColumn,
      column('Phase', '.status.phase', 'Always empty'),
      reasonColumn(readyMessage('.status.v1beta2.conditions')),
    ],
    spec: metal3MachineSpecV1Beta1,
    status: metal3MachineStatusV1Beta1,
  },
  v1beta2: {
    columns: [
      ageColumn,
      providerIdColumn,
      column('Provisioned', '.status.initialization.provisioned', 'Whether the machine is provisioned'),
      clusterColumn,
      reasonColumn(readyMessage('.status.conditions')),
    ],
    spec: metal3MachineSpec,
    status: metal3MachineStatus,
  },
});

export const metal3MachineTemplateResource = infrastructureResource({
  ...namesOf(metal3MachineTemplate),
  shortNames: ['m3mt', 'm3machinetemplate', 'm3machinetemplates', 'metal3mt', 'metal3machinetemplate'],
  description: 'Template for the Metal3Machines of a control plane or a MachineDeployment.',
  v1beta1: { columns: [ageColumn], spec: metal3MachineTemplateSpecV1Beta1 },
  v1beta2: { columns: [ageColumn], spec: metal3MachineTemplateSpec, needsSpec: true },
});
