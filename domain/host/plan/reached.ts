import { type NodeState, nodeIn } from '../../ironic/node/node.ts';
import type { HostMemory } from '../memory/memory.ts';
import type { Task } from '../memory/task.ts';
import type { HostOutcome } from '../step.ts';

/** The id of a node that is not registered yet. */
const NEW_NODE = 'planned';

/** The outcome of a task that succeeds. A registration without one of its Secrets fails. */
export function reached(memory: HostMemory, task: Task): HostOutcome {
  const { status, seen, node } = memory;
  const id = node?.id ?? (status.provisioning.ID || NEW_NODE);
  const poweredOn = node?.poweredOn ?? status.poweredOn;
  const done = (state: NodeState, isOn = poweredOn): HostOutcome & { readonly kind: 'done' } => ({
    kind: 'done',
    node: nodeIn(state, { id, poweredOn: isOn }),
  });
  switch (task.name) {
    case 'register': {
      const version = seen.bmcSecret?.resourceVersion ?? null;
      const name = task.order.bmc.credentialsName;
      const absent = (secret: string, content: string): string =>
        `the Secret ${seen.namespace}/${secret} with ${content} does not exist`;
      if (version === null && !task.order.deleting)
        return { kind: 'failed', message: absent(name, 'the credentials of the BMC'), credentials: 'missing' };
      if (task.order.networkSeen === null && !task.order.deleting) {
        const network = task.order.preprovisioningNetworkDataName;
        return { kind: 'failed', message: absent(network, 'the network data of the deploy agent') };
      }
      return {
        kind: 'done',
        node: node ?? nodeIn('manageable', { id, poweredOn }),
        registered: {
          created: status.provisioning.ID === '',
          credentialsVersion: version ?? '',
          architecture: task.order.architecture ?? '',
          ...(task.order.networkSeen != null && { networkVersion: task.order.networkSeen }),
        },
      };
    }
    case 'inspect': {
      const architecture = seen.spec.architecture ?? memory.architecture;
      return { ...done('manageable'), inventory: { architecture, hostname: '' } };
    }
    case 'prepare':
      return done('manageable');
    case 'provision':
    case 'adopt':
      return done('active', task.name === 'provision' ? true : poweredOn);
    case 'deprovision':
      return done('available', false);
    case 'examine':
      return done('available');
    case 'power':
      return done(node?.state ?? 'available', task.order.on);
    case 'delete':
    case 'detach':
      return { kind: 'lost' };
    case 'media':
      return { kind: 'done', attached: task.order.desired ?? '' };
    case 'image':
    case 'release':
    case 'abort':
    case 'discard':
    case 'ask for place':
    case 'return place':
      return { kind: 'done' };
  }
}
