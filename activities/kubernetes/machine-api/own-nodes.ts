import { LEGACY_NODE_FINALIZER, NODE_ANNOTATIONS } from '../../../domain/machine-api/names.ts';
import type { MachineApiAction, NodeOrder } from '../../../domain/machine-api/step.ts';
import { isConflict, isNotFound, type Kube } from '../../../kube/client.ts';
import { whileContended } from '../../../kube/contended.ts';
import { type Metadata, readMetadata } from '../../../kube/objects/metadata.ts';
import { readNode } from '../../../kube/objects/node.ts';
import { nodePath } from '../../../kube/paths.ts';
import { findClaimant, stale } from '../machine/machine-now.ts';
import { refusing } from '../refusal.ts';

type LinkOrder = Extract<MachineApiAction, { readonly name: 'link node' }>['order'];

/** Changes of Nodes in the management cluster, for Machines of the Machine API. */
export interface OwnNodeActivities {
  /**
   * Writes the providerID, unless the Node has one, and the name of the Machine to the Node, and removes the finalizer of
   * former actuators. Idempotent; a Node that is gone is ignored.
   */
  linkOwnNode(order: LinkOrder): Promise<void>;
  /** Deletes the Node of a Machine that is being deleted. Idempotent; another Node of this name stays. */
  removeOwnNode(order: NodeOrder): Promise<void>;
}

export function createOwnNodeActivities(kube: Kube): OwnNodeActivities {
  /** Fails with type `Stale` unless the Machine is there, with this uid. */
  const machineOf = async ({ machine }: NodeOrder): Promise<Metadata> => {
    const found = await findClaimant(kube, machine);
    const metadata = found === undefined ? undefined : readMetadata(found);
    if (metadata?.uid === machine.uid) return metadata;
    throw stale(`change a Node: Machine ${machine.name} does not exist any more`);
  };

  return {
    linkOwnNode: (order) =>
      refusing(async () => {
        const { node, machine, providerID } = order;
        const { deletionTimestamp } = await machineOf(order);
        const path = nodePath(node.name);
        await whileContended(async () => {
          const found = await kube.find(path);
          if (found === undefined) return;
          const { metadata, spec } = readNode(found);
          const { uid, resourceVersion, finalizers, annotations } = metadata;
          if (uid !== node.uid) return;
          const rest = finalizers.filter((each) => each !== LEGACY_NODE_FINALIZER);
          const key = NODE_ANNOTATIONS[machine.api] ?? '';
          const name = `${machine.namespace}/${machine.name}`;
          const isNamed = deletionTimestamp !== undefined || annotations[key] === name;
          const lacksId = deletionTimestamp === undefined && spec.providerID === '';
          if (rest.length === finalizers.length && isNamed && !lacksId) return;
          await kube.patch(path, {
            metadata: {
              resourceVersion,
              ...(rest.length < finalizers.length && { finalizers: rest }),
              ...(!isNamed && { annotations: { [key]: name } }),
            },
            ...(lacksId && { spec: { providerID } }),
          });
        });
      }),

    removeOwnNode: (order) =>
      refusing(async () => {
        const { node, machine } = order;
        if ((await machineOf(order)).deletionTimestamp === undefined) {
          throw stale(`delete Node ${node.name}: Machine ${machine.name} is not being deleted`);
        }
        const body = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions: { uid: node.uid } };
        await kube.request({ method: 'DELETE', path: nodePath(node.name), body }).catch((error: unknown) => {
          // It is gone, or another has its name: the precondition on the uid fails as a conflict.
          if (!isNotFound(error) && !isConflict(error)) throw error;
        });
      }),
  };
}
