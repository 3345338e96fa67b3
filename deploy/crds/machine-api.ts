import { type CustomResource, namesOf, type PrinterColumn } from '../../api/custom-resource.ts';
import { clusterMachine, openShiftMachine, openShiftMachineSet } from '../../api/machine-api/kind.ts';
import { ageColumn } from '../../api/meta/columns.ts';
import {
  clusterMachineSpec,
  clusterMachineStatus,
  openShiftMachineSetSpec,
  openShiftMachineSetStatus,
  openShiftMachineSpec,
  openShiftMachineStatus,
} from './machine-api-schema.ts';

/** The kinds of the Machine API, in both groups. OpenShift has those of its group itself. */

const column = (name: string, jsonPath: string, description: string, priority = 0): PrinterColumn => ({
  name,
  type: 'string',
  jsonPath,
  description,
  ...(priority > 0 && { priority }),
});
const count = (name: string, jsonPath: string, description: string): PrinterColumn => ({
  ...column(name, jsonPath, description),
  type: 'integer',
});
const label = (name: string): string => `.metadata.labels.machine\\.openshift\\.io/${name}`;

/** The columns of OpenShift's CRD. */
const machineColumns: readonly PrinterColumn[] = [
  column('Phase', '.status.phase', 'Phase of the machine'),
  column('Type', label('instance-type'), 'Type of the machine; empty for hosts'),
  column('Region', label('region'), 'Region of the machine; empty for hosts'),
  column('Zone', label('zone'), 'Zone of the machine; empty for hosts'),
  ageColumn,
  column('Node', '.status.nodeRef.name', 'Node of the machine', 1),
  column('ProviderID', '.spec.providerID', 'Host of the machine', 1),
  column('State', '.metadata.annotations.machine\\.openshift\\.io/instance-state', 'State of the host', 1),
];

/** The columns of the CRD in the first documents. */
const columnsOf2019: readonly PrinterColumn[] = [
  column('Instance', '.status.providerStatus.instanceId', 'Instance of a cloud; empty for hosts'),
  column('State', '.status.providerStatus.instanceState', 'State of that instance; empty for hosts'),
  column('Type', '.spec.providerSpec.value.instanceType', 'Type of the machine; empty for hosts'),
  column('Region', '.spec.providerSpec.value.placement.region', 'Region of the machine; empty for hosts'),
  column('Zone', '.spec.providerSpec.value.placement.availabilityZone', 'Zone of the machine; empty for hosts'),
  ageColumn,
];

const openShiftMachineResource: CustomResource = {
  ...namesOf(openShiftMachine),
  description: 'A machine of the Machine API: it gets a host, on which a Node of this cluster runs.',
  versions: [
    {
      name: 'v1beta1',
      columns: machineColumns,
      spec: openShiftMachineSpec,
      status: openShiftMachineStatus,
    },
  ],
};

const openShiftMachineSetResource: CustomResource = {
  ...namesOf(openShiftMachineSet),
  description: 'A number of Machines that are made from one template.',
  versions: [
    {
      name: 'v1beta1',
      columns: [
        count('Desired', '.spec.replicas', 'Desired number of Machines'),
        count('Current', '.status.replicas', 'Number of Machines'),
        count('Ready', '.status.readyReplicas', 'Number of Machines whose Node is ready'),
        count('Available', '.status.availableReplicas', 'Number of Machines that are available'),
        ageColumn,
      ],
      spec: openShiftMachineSetSpec,
      status: openShiftMachineSetStatus,
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
    },
  ],
};

const clusterMachineResource: CustomResource = {
  ...namesOf(clusterMachine),
  description: 'A machine in the API of 2019: it gets a host, on which a Node of this cluster runs.',
  // The API server requires this annotation in Kubernetes' own groups.
  annotations: { 'api-approved.kubernetes.io': 'unapproved, the group was given up before the approval was asked for' },
  versions: [
    {
      name: 'v1alpha1',
      columns: columnsOf2019,
      spec: clusterMachineSpec,
      status: clusterMachineStatus,
    },
  ],
};

/** Installed only where the Machine API is wanted, and not in OpenShift, which has the first two. */
export const machineApiResources: readonly CustomResource[] = [
  openShiftMachineResource,
  openShiftMachineSetResource,
  clusterMachineResource,
];
