import { explains, type Mark, type Patience } from './mark.ts';
import type { IronicNode, NodeState } from './node/node.ts';
import type { NodeJson } from './node/node-json.ts';

/** States of a node on which something runs, or is being installed. */
const OCCUPIED: readonly NodeState[] = [
  'deploying',
  'deploy hold',
  'wait call-back',
  'adopting',
  'active',
  'rescuing',
  'rescue wait',
  'rescue',
  'rescue failed',
  'unrescuing',
  'unrescue failed',
  'servicing',
  'service wait',
  'service hold',
  'service failed',
];

export const isOccupied = ({ state }: Pick<IronicNode, 'state'>): boolean => OCCUPIED.includes(state);

/**
 * True when the mark says that we began to deploy the node, which then changed within the longest time in which Ironic
 * begins with a request. The mark is of the present uid (`readMark`).
 */
export const isBegunByUs = (
  mark: Mark | undefined,
  { uuid, provision_updated_at: changedAt }: Pick<NodeJson, 'uuid' | 'provision_updated_at'>,
  patience: Patience,
): boolean =>
  mark?.request === 'active' && mark.nodeId === uuid && explains(mark, Date.parse(changedAt ?? ''), patience);

/** Reason of the Event, and of the condition `AvailableForProvisioning`. */
export const NODE_OCCUPIED = 'NodeOccupied';

const ALTHOUGH = 'although Temper has deployed nothing on the host';

/** Says that something runs on the node of a host that is free for Temper. */
export const occupiedInWords = ({ id, state }: Pick<IronicNode, 'id' | 'state'>): string =>
  `Ironic has node ${id} in state '${state}', ${ALTHOUGH}: somebody used Ironic directly, or a database was put back to an earlier time. Nothing is changed on it. If nobody needs what runs there, undeploy the node in Ironic; if nothing runs there, delete it from Ironic. The host is then free again`;

export const saysOccupied = (message: string | undefined): boolean => message?.includes(ALTHOUGH) === true;
