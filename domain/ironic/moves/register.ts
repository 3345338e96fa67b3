import { BUSY_NODE_STATES, type IronicNode, type KnownState, RESTING_NODE_STATES } from '../node/node.ts';
import { each, rowOf } from './move.ts';

export type Registering =
  /** Ironic is busy with the node: do not change it. */
  | 'leave'
  /** Update Ironic's settings of the node. */
  | 'configure'
  /** Update them and verify the access to the BMC. */
  | 'verify'
  /** The BMC has refused before, and nothing has changed since: report that error. */
  | 'report';

interface RegisterOptions {
  readonly accessChanged: boolean;
  readonly retry: boolean;
}

type Row = (node: IronicNode, options: RegisterOptions) => Registering;

const configure: Row = () => 'configure';

const MOVES: Readonly<Record<KnownState, Row>> = {
  ...each(BUSY_NODE_STATES, () => 'leave'),
  ...each(RESTING_NODE_STATES, configure),
  // Without an error there was no attempt yet: an interrupted registration continues.
  enroll: ({ lastError }, { accessChanged, retry }) =>
    lastError === null || accessChanged || retry ? 'verify' : 'report',
};

/** What registration does with an existing node. */
export const registerMove = (node: IronicNode, options: RegisterOptions): Registering =>
  rowOf(MOVES, node.state, configure)(node, options);
