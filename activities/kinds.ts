import type { Client } from '@temporalio/client';
import { joinedActivities } from '../platform/temporal/joined-activities.ts';
import { freshMachine } from './freshness/fresh-machine.ts';
import type { ActivityCall } from './ironic/context.ts';
import { createKubernetesActivities, type KubernetesDeps } from './kubernetes/activities.ts';
import { createDataClaimTaskActivities } from './kubernetes/data/claims.ts';
import { createDataActivities, type DataDeps } from './kubernetes/data/data.ts';
import { createAddressActivities } from './kubernetes/ipam/addresses.ts';
import { createMachineSetActivities } from './kubernetes/machine-api/machine-sets.ts';
import { createOwnNodeActivities } from './kubernetes/machine-api/own-nodes.ts';
import { createMachineRemediationActivities } from './kubernetes/machine-api/remediation.ts';
import { createRemediationActivities } from './kubernetes/remediation/activities.ts';
import { createForwarding } from './requests/forward-to-host.ts';
import { createLockMessages, createPlaceActivities } from './requests/places.ts';
import { createHostRequests } from './requests/request-host.ts';
import type { WorkloadClusters } from './workload/clusters.ts';
import { createWorkloadActivities } from './workload/nodes.ts';
import { createSickNodeActivities } from './workload/remediation/sick-node.ts';

/** What the workers give to all activities; each room takes what it needs. */
export interface ActivitiesAround extends KubernetesDeps, DataDeps {
  readonly client: Client;
  readonly clusters: WorkloadClusters;
  readonly currentCall: () => ActivityCall;
  /** How people call Temporal's command line. */
  readonly temporalCommand: string;
}

/** Pause between two looks at the Nodes of one cluster. */
const intervalMs = 5_000;

/** The activities that do not change servers, by the task queue on which they run. One line for each room. */
const create = (around: ActivitiesAround) => {
  const { kube, client, clusters, currentCall } = around;
  const nodes = createWorkloadActivities({ clusters, intervalMs, currentCall });
  const { awaitNode, ...nodeRequests } = freshMachine(nodes.activities, around);
  const { awaitDrain, ...sickNodes } = createSickNodeActivities({ kube, clusters, intervalMs, currentCall });
  return {
    requests: joinedActivities(
      createKubernetesActivities(around),
      createDataClaimTaskActivities(around),
      createDataActivities(around),
      createAddressActivities(around),
      createPlaceActivities({ messages: createLockMessages(client), currentCall }),
      nodeRequests,
      createRemediationActivities(kube),
      createOwnNodeActivities(kube),
      createMachineRemediationActivities(kube),
      createMachineSetActivities(kube),
      sickNodes,
    ),
    messages: joinedActivities(
      createHostRequests(client, kube),
      createForwarding(client, kube, around.temporalCommand),
    ),
    nodeWaits: { awaitNode, awaitDrain },
    kept: nodes.kept,
  };
};

export type Activities = ReturnType<typeof create>;
export const createActivities: (around: ActivitiesAround) => Activities = create;
