import type { Kube } from '../../kube/client.ts';
import { gather } from '../../kube/gather.ts';
import { KINDS } from '../../kube/kinds.ts';
import { belongingOf } from '../../kube/objects/metal3machine.ts';
import type { Named } from '../../kube/paths.ts';
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
  const problem = `Metal3Machine ${machine.name}: `;
  const found = await gather(kube, (find) => {
    const object = find(KINDS.metal3Machine, machine);
    return object === undefined ? undefined : belongingOf(object, find);
  });
  if (found === undefined) throw stale(`${problem}it does not exist`);
  if (machine.namespace !== cluster.namespace || found.cluster !== cluster.name)
    throw stale(`${problem}it does not belong to Cluster ${cluster.namespace}/${cluster.name}`);
  return found.machine?.owner.nodeRef;
}
