/** Provision states in the spelling of Ironic's API (only those that callers distinguish are listed). */
export type NodeState =
  | 'enroll'
  | 'verifying'
  | 'manageable'
  | 'available'
  | 'inspecting'
  | 'inspect wait'
  | 'inspect failed'
  | 'cleaning'
  | 'clean wait'
  | 'clean failed'
  | 'deploying'
  | 'wait call-back'
  | 'deploy failed'
  | 'active'
  | 'adopting'
  | 'adopt failed'
  | 'deleting'
  | 'error'
  | (string & {});

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
  'rebuilding',
  'servicing',
  'service wait',
  'unrescuing',
  'rescuing',
  'rescue wait',
] as const satisfies readonly NodeState[];

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
