import { UNADOPTABLE } from '../../ironic/moves/adopt.ts';
import { isInUse } from '../../states/table.ts';
import type { HostMemory } from '../memory/memory.ts';

/** Reason of the condition `Manageable`, and of the Event. */
export const NODE_NOT_IN_USE = 'NodeNotInUse';

const inState = (state: string): string => `in state '${state}'`;

/** True for the message of a condition that was written for a node in this state. */
export const isOfState = (message: string, state: string): boolean => message.includes(`${inState(state)},`);

/**
 * Says that Ironic has the node of a running host in a state that can't be put right without losing what runs there;
 * undefined when it has not.
 */
export function nodeNotInUse({ status, node, isUnadoptable }: HostMemory): string | undefined {
  const { state, ID: id } = status.provisioning;
  if (isUnadoptable !== true || node === null || !isInUse(state) || !UNADOPTABLE.includes(node.state)) return undefined;
  return `Ironic has node ${id} ${inState(node.state)}, although the host is in use: Ironic's database was put back to an earlier time, or somebody used Ironic directly. Delete the node from Ironic; it is then registered and adopted again`;
}
