import { LEGACY_NODE_FINALIZER, NODE_ANNOTATIONS } from '../../../domain/machine-api/names.ts';
import { lackingIn, type NodeWish } from '../../../domain/machine-api/node-wish.ts';
import type { MachineApiAction, OwnNodeOrder } from '../../../domain/machine-api/step.ts';
import type { Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { type MachineApiRead, readMachineApi } from '../../../kube/objects/machine-api.ts';
import { readOwnNode } from '../../../kube/objects/node.ts';
import { nodePath } from '../../../kube/paths.ts';
import { remove } from '../../../kube/remove.ts';
import { findClaimant, stale } from '../machine/machine-now.ts';
import { refusing } from '../refusal.ts';
import { mustBeItsNode, mustFitItsHost } from './node-of-machine.ts';

type LinkOrder = Extract<MachineApiAction, { readonly name: 'link node' }>['order'];

/** Changes of Nodes in the management cluster, for Machines of the Machine API. */
export interface OwnNodeActivities {
  /**
   * Writes the providerID, unless the Node has one, and the name of the Machine to the Node, and with `fills` the
   * labels and taints of the Machine's spec; removes the finalizer of former actuators. Idempotent; a Node that is gone
   * is ignored. Fails with type `Stale` for the Node of another Machine.
   */
  linkOwnNode(order: LinkOrder): Promise<void>;
  /** Deletes the Node of a Machine that is being deleted. Idempotent; another Node of this name stays. */
  removeOwnNode(order: OwnNodeOrder): Promise<void>;
}

const NOTHING: NodeWish = { labels: {}, taints: [] };

export function createOwnNodeActivities(kube: Kube): OwnNodeActivities {
  /** Fails with type `Stale` unless the Machine exists and has this uid. */
  const machineOf = async ({ machine }: OwnNodeOrder): Promise<MachineApiRead> => {
    const found = await findClaimant(kube, machine);
    const read = found === undefined ? undefined : readMachineApi(found);
    if (read?.metadata.uid === machine.uid) return read;
    throw stale(`change a Node: Machine ${machine.name} does not exist any more`);
  };

  return {
    linkOwnNode: (order) =>
      refusing(async () => {
        const { node, machine, providerID, fills } = order;
        const read = await machineOf(order);
        const { metadata: own, nodeWish } = read;
        const isLeaving = own.deletionTimestamp !== undefined;
        const path = nodePath(node.name);
        await whileContended(async () => {
          const found = await kube.find(path);
          if (found === undefined) return;
          const { metadata, spec } = readOwnNode(found);
          const { uid, resourceVersion, finalizers, annotations } = metadata;
          if (uid !== node.uid) return;
          const rest = finalizers.filter((each) => each !== LEGACY_NODE_FINALIZER);
          const key = NODE_ANNOTATIONS[machine.api] ?? '';
          const name = `${machine.namespace}/${machine.name}`;
          const isNamed = isLeaving || annotations[key] === name;
          const lacksId = !isLeaving && spec.providerID === '';
          const { labels, taints } =
            fills && !isLeaving ? lackingIn({ labels: metadata.labels, taints: spec.taints }, nodeWish) : NOTHING;
          const lacksLabels = Object.keys(labels).length > 0;
          if (rest.length === finalizers.length && isNamed && !lacksId && !lacksLabels && taints.length === 0) return;
          // While a Machine is being deleted, its Node only loses the finalizer of former actuators.
          if (!isLeaving) await mustFitItsHost(kube, order, read, found);
          await kube.patch(path, {
            metadata: {
              resourceVersion,
              ...(rest.length < finalizers.length && { finalizers: rest }),
              ...(!isNamed && { annotations: { [key]: name } }),
              ...(lacksLabels && { labels }),
            },
            ...((lacksId || taints.length > 0) && {
              spec: {
                ...(lacksId && { providerID }),
                ...(taints.length > 0 && { taints: [...spec.taints, ...taints] }),
              },
            }),
          });
        });
      }),

    removeOwnNode: (order) =>
      refusing(async () => {
        const { node, machine } = order;
        const read = await machineOf(order);
        if (read.metadata.deletionTimestamp === undefined) {
          throw stale(`delete Node ${node.name}: Machine ${machine.name} is not being deleted`);
        }
        await mustBeItsNode(kube, order, read, await kube.find(nodePath(node.name)));
        await remove(kube, nodePath(node.name), node.uid);
      }),
  };
}
