/** States that Ironic leaves by itself. */
export const BUSY_NODE_STATES = [
  'verifying',
  'inspecting',
  'inspect wait',
  'cleaning',
  'clean wait',
  'deploying',
  'wait call-back',
  'adopting',
  'deleting',
  'servicing',
  'service wait',
  'unrescuing',
  'rescuing',
  'rescue wait',
] as const;
export type BusyNodeState = (typeof BUSY_NODE_STATES)[number];

/** States that a node leaves only by a request. `… hold`: somebody has asked Ironic to stop there. */
export const RESTING_NODE_STATES = [
  'enroll',
  'manageable',
  'available',
  'active',
  'rescue',
  'error',
  'inspect failed',
  'clean failed',
  'deploy failed',
  'adopt failed',
  'rescue failed',
  'unrescue failed',
  'service failed',
  'clean hold',
  'deploy hold',
  'service hold',
] as const;
export type RestingState = (typeof RESTING_NODE_STATES)[number];

/** Provision states of Ironic 39 in the spelling of its API: each move has an answer for each. */
export type KnownState = BusyNodeState | RestingState;

/** A later Ironic may have more. */
export type NodeState = KnownState | (string & {});

/** States of a node whose last operation failed. */
export const FAILED_NODE_STATES = RESTING_NODE_STATES.filter((state) => state.endsWith('failed') || state === 'error');

/** True while Ironic is going to change the node's state. */
export const isBusy = (state: NodeState): boolean => (BUSY_NODE_STATES as readonly string[]).includes(state);

/** An Ironic node from a list request: small enough for a workflow's history, without secrets. */
export interface IronicNode {
  /** Ironic's UUID of the node. */
  readonly id: string;
  readonly state: NodeState;
  /** A state, as in Ironic; null when no change is running. */
  readonly targetState: NodeState | null;
  /** True: on, false: off, null: unknown. */
  readonly poweredOn: boolean | null;
  readonly powerPending: boolean;
  readonly lastError: string | null;
  readonly maintenance: boolean;
  readonly fault: string | null;
  /** As the BMC reports: `OK`, `Warning` or `Critical`; null when unknown. */
  readonly health: string | null;
  /** Reserved, usually by Ironic itself: it cannot be changed now. */
  readonly locked?: true;
}

/** A node in a state in which Ironic is idle. */
export const nodeIn = (state: NodeState, { id, poweredOn }: Pick<IronicNode, 'id' | 'poweredOn'>): IronicNode => ({
  id,
  state,
  targetState: null,
  poweredOn,
  powerPending: false,
  lastError: null,
  maintenance: false,
  fault: null,
  health: null,
});

/**
 * True when nothing more follows by itself: Ironic lists a node whose agent did not call in time as failed before it
 * has written the reason, and holds its lock until then.
 */
export const isAtRest = ({ state, lastError, locked }: Pick<IronicNode, 'state' | 'lastError' | 'locked'>): boolean =>
  !isBusy(state) && !(state.endsWith('failed') && lastError === null && locked === true);

/** Host names contain no `~`, so the two parts of a node's name are unambiguous. */
export const nodeName = (host: { readonly namespace: string; readonly name: string }): string =>
  `${host.namespace}~${host.name}`;

/** True when a node has the name of another host's node. A name without `~` was given by somebody else, or long ago. */
export const isOfOther = (name: string | null, host: { readonly namespace: string; readonly name: string }): boolean =>
  name !== null && name.includes('~') && name !== nodeName(host);
