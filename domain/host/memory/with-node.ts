import type { IronicNode } from '../../ironic/node/node.ts';
import { same } from '../../same.ts';
import { type HostMemory, withStatus } from './memory.ts';

/** Takes over the node from Ironic; its power is shown as soon as it is known. */
export function withNode(memory: HostMemory, node: IronicNode | null): HostMemory {
  if (same(node, memory.node)) return memory;
  const next = { ...memory, node };
  const poweredOn = node?.poweredOn ?? next.status.poweredOn;
  const faultChanged = (node?.fault === 'power failure') !== (memory.node?.fault === 'power failure');
  const healthChanged = (node?.health ?? null) !== (memory.node?.health ?? null);
  const isShown = poweredOn !== next.status.poweredOn || faultChanged || healthChanged;
  return isShown ? withStatus(next, { poweredOn }) : next;
}
