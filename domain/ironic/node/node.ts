/** A node's provision states as Ironic's API spells them (only those that a caller has to tell apart are listed). */
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

/** States Ironic leaves by itself: whoever sees one waits. */
export const BUSY_STATES = [
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

/** True while Ironic itself is going to move the node on. */
export const isBusy = (state: NodeState): boolean => (BUSY_STATES as readonly string[]).includes(state);

/** What a list request tells of a node: small enough for a workflow's history, free of secrets. */
export interface IronicNode {
  /** Ironic's UUID of the node. */
  readonly id: string;
  readonly state: NodeState;
  /** As Ironic has it, a state and not a verb; null when it is not going anywhere. */
  readonly targetState: NodeState | null;
  /** True: on, false: off, null: Ironic does not know. */
  readonly poweredOn: boolean | null;
  readonly powerPending: boolean;
  readonly lastError: string | null;
  readonly maintenance: boolean;
  readonly fault: string | null;
  /** As the BMC tells: `OK`, `Warning` or `Critical`; null when nobody knows. */
  readonly health: string | null;
  /** Reserved, as a rule by Ironic itself: nobody may change it now. */
  readonly locked?: true;
}

/** Host names have no `~`, so the two parts of a node's name never run into each other. */
export const nodeName = (host: { readonly namespace: string; readonly name: string }): string =>
  `${host.namespace}~${host.name}`;
