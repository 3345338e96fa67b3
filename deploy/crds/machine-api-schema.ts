import { z } from 'zod';
import { objectReference } from '../../api/meta/references.ts';
import { integer, time } from '../../api/meta/scalars.ts';

/** A value that the API server stores unchanged: the actuator of the platform reads it. */
const anything = () => z.unknown().meta({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true });
const texts = () => z.record(z.string(), z.string());

const metadata = z
  .object({
    name: z.string().describe('Not used.').optional(),
    generateName: z.string().describe('Not used.').optional(),
    namespace: z.string().describe('Not used.').optional(),
    labels: texts().describe('Labels.').optional(),
    annotations: texts().describe('Annotations.').optional(),
  })
  .describe('Metadata of what is made.');

const taint = z.object({
  key: z.string().describe('Name of the taint.'),
  value: z.string().describe('Its value.').optional(),
  effect: z.string().describe('Effect of the taint on Pods: NoSchedule, PreferNoSchedule or NoExecute.'),
  timeAdded: time().describe('Time at which the taint was added.').optional(),
});

const hook = z.object({
  name: z.string().describe('Name of the hook, unique in its list.'),
  owner: z.string().describe('Owner of the hook: the client that added it and will remove it.'),
});
const hooks = (what: string) => z.array(hook).describe(what).optional();

const providerSpec = z
  .object({ value: anything().describe('Selects the host of the machine, and what is deployed on it.').optional() })
  .describe('Settings for the actuator of the platform.')
  .optional();

const shared = {
  metadata: metadata.describe('Labels and annotations of the Node.').optional(),
  taints: z.array(taint).describe('Taints of the Node.').optional(),
  providerSpec,
  providerID: z
    .string()
    .describe('The host of the machine: baremetalhost:///<namespace>/<host>/<uid of the host>.')
    .optional(),
};

const machineSpec = z.object({
  lifecycleHooks: z
    .object({
      preDrain: hooks('While the list has a hook, the machine is not drained.'),
      preTerminate: hooks('While the list has a hook, the host is not released.'),
    })
    .describe('Hooks that delay the deletion of the machine.')
    .optional(),
  ...shared,
});

/** OpenShift's CRD has these two fields while it moves objects to Cluster API. */
const authoritative = {
  spec: z
    .enum(['MachineAPI', 'ClusterAPI'])
    .describe('Which API is to be in charge: MachineAPI, or ClusterAPI in an OpenShift that moves to it.')
    .optional(),
  status: z
    .enum(['MachineAPI', 'ClusterAPI', 'Migrating'])
    .describe('Which API is in charge. With another value than MachineAPI, the object is left alone.')
    .optional(),
};

export const openShiftMachineSpec = machineSpec
  .extend({ authoritativeAPI: authoritative.spec })
  .describe('Desired state of the machine.');

export const clusterMachineSpec = z
  .object({
    versions: z
      .object({
        kubelet: z.string().describe('Version of the kubelet.').optional(),
        controlPlane: z.string().describe('Version of the control plane.').optional(),
      })
      .describe('Versions of Kubernetes; not used.')
      .optional(),
    ...shared,
  })
  .describe('Desired state of the machine.');

const condition = z.object({
  type: z.string().describe('Type of the condition.'),
  status: z.string().describe('True, False or Unknown.'),
  severity: z.string().describe('Severity of the problem while the condition is False.').optional(),
  reason: z.string().describe('Reason for the status, as one word for programs.').optional(),
  message: z.string().describe('Details for people.').optional(),
  lastTransitionTime: time().describe('Time at which the status last changed.').optional(),
  lastHeartbeatTime: time().describe('Not used.').optional(),
  observedGeneration: integer({ format: 'int64' })
    .describe('Generation of the object that the condition describes.')
    .optional(),
});

const machineStatus = z.object({
  nodeRef: objectReference.describe('The Node of the machine.').optional(),
  lastUpdated: time().describe('Time at which the status was last updated.').optional(),
  phase: z.string().describe('Provisioning, Provisioned, Running, Deleting or Failed.').optional(),
  errorReason: z.string().describe('Reason why the machine needs a person, as one word for programs.').optional(),
  errorMessage: z.string().describe('Reason why the machine needs a person.').optional(),
  addresses: z
    .array(
      z.object({
        type: z.string().describe('InternalIP, Hostname or InternalDNS.'),
        address: z.string().describe('The address.'),
      }),
    )
    .describe('Addresses of the host, as inspection found them.')
    .optional(),
  providerStatus: anything().describe('Not used.').optional(),
  conditions: z.array(condition).describe('Conditions of the machine.').optional(),
  lastOperation: anything().describe('Not used.').optional(),
});
export const clusterMachineStatus = machineStatus.describe('Observed state of the machine.');
export const openShiftMachineStatus = machineStatus
  .extend({ authoritativeAPI: authoritative.status })
  .describe('Observed state of the machine.');

const selector = z
  .object({
    matchLabels: texts().describe('Labels that a Machine must have.').optional(),
    matchExpressions: z
      .array(
        z.object({
          key: z.string().describe('Name of the label.'),
          operator: z.string().describe('In, NotIn, Exists or DoesNotExist.'),
          values: z.array(z.string()).describe('Values to compare with.').optional(),
        }),
      )
      .describe('Further rules for the labels.')
      .optional(),
  })
  .describe('Which Machines belong to the MachineSet.');

export const openShiftMachineSetSpec = z
  .object({
    replicas: integer({ format: 'int32' }).describe('Desired number of Machines.').default(1),
    minReadySeconds: integer({ format: 'int32' })
      .describe('Seconds that a Node must be ready before its Machine counts as available.')
      .optional(),
    deletePolicy: z
      .enum(['Random', 'Newest', 'Oldest'])
      .describe('Which Machines go first when there are too many.')
      .optional(),
    authoritativeAPI: authoritative.spec,
    selector,
    template: z
      .object({
        metadata: metadata.describe('Labels and annotations of the Machines.').optional(),
        spec: openShiftMachineSpec.describe('Spec of the Machines.').optional(),
      })
      .describe('The Machines to create.')
      .optional(),
  })
  .describe('Desired Machines.');

const count = (what: string) => integer({ format: 'int32' }).describe(what).optional();

export const openShiftMachineSetStatus = z
  .object({
    replicas: count('Number of Machines.'),
    fullyLabeledReplicas: count('Number of Machines that have all labels of the template.'),
    readyReplicas: count('Number of Machines whose Node is ready.'),
    availableReplicas: count('Number of Machines whose Node has been ready for minReadySeconds.'),
    observedGeneration: integer({ format: 'int64' })
      .describe('Generation of the spec that this status describes.')
      .optional(),
    errorReason: z.string().describe('Reason why the MachineSet needs a person, as one word for programs.').optional(),
    errorMessage: z.string().describe('Reason why the MachineSet needs a person.').optional(),
    conditions: z.array(condition).describe('Conditions of the MachineSet.').optional(),
    authoritativeAPI: authoritative.status,
  })
  .describe('Observed Machines.');
