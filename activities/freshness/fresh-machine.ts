import { CLUSTER_LABELS } from '../../domain/cluster-api/names.ts';
import type { Kube } from '../../kube/client.ts';
import { KINDS } from '../../kube/kinds.ts';
import { readMachine } from '../../kube/objects/machine.ts';
import { ownerOf, readMetadata } from '../../kube/objects/metadata.ts';
import { type Named, objectPath } from '../../kube/paths.ts';
import type { ActivityCall } from '../ironic/context.ts';
import { stale } from '../kubernetes/machine/machine-now.ts';
import type { WorkloadActivities } from '../workload/nodes.ts';

export interface FreshMachineDeps {
  readonly kube: Kube;
  readonly currentCall: () => Pick<ActivityCall, 'workflowId'>;
}

/**
 * The same activities; the worker logs in to a workload cluster only for a Metal3Machine that belongs to it now. The
 * request may come from a restored Temporal or a forged message. Throws `Stale` otherwise.
 */
export function freshMachine(
  activities: WorkloadActivities,
  { kube, currentCall }: FreshMachineDeps,
): WorkloadActivities {
  return {
    async findNode(order) {
      await mustBeOfCluster(kube, order.machine, order.cluster);
      return activities.findNode(order);
    },
    async awaitNode(input) {
      await mustBeOfCluster(kube, input.order.machine, input.order.cluster);
      return activities.awaitNode(input);
    },
    async syncNodeLabels(order) {
      const { workflowId } = currentCall();
      const [, namespace = '', name = ''] = workflowId.split('/');
      const node = await mustBeOfCluster(kube, { namespace, name }, order.cluster);
      if (node !== order.node)
        throw stale(`Metal3Machine ${name}: its Node is ${node ?? 'not known'}, not ${order.node}`);
      return activities.syncNodeLabels(order);
    },
  };
}

/** Resolves with the name of the machine's Node, as its Machine shows it. */
async function mustBeOfCluster(kube: Kube, machine: Named, cluster: Named): Promise<string | undefined> {
  const { namespace, name } = machine;
  const problem = `Metal3Machine ${name}: `;
  const found = await kube.find(objectPath(KINDS.metal3Machine, machine));
  if (found === undefined) throw stale(`${problem}it does not exist`);
  const metadata = readMetadata(found);
  const owner = ownerOf(metadata, KINDS.machine)?.name;
  const owning =
    owner === undefined ? undefined : await kube.find(objectPath(KINDS.machine, { namespace, name: owner }));
  const read = owning === undefined ? undefined : readMachine(owning);
  const clusterName = read === undefined ? metadata.labels[CLUSTER_LABELS.clusterName] : read.cluster;
  if (namespace !== cluster.namespace || clusterName !== cluster.name)
    throw stale(`${problem}it does not belong to Cluster ${cluster.namespace}/${cluster.name}`);
  return read?.owner.nodeRef;
}
