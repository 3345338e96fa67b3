import {
  BUSY_NODE_STATES,
  type BusyNodeState,
  type IronicNode,
  type KnownState,
  type NodeState,
} from '../node/node.ts';

/** Targets of a node's provision state, in the words of Ironic's API. */
export type Target = 'manage' | 'provide' | 'inspect' | 'clean' | 'active' | 'deleted' | 'adopt' | 'abort';

export type NodeStep = Target | 'clear maintenance';

/** What to do with a node in its current state. */
export type Move =
  /** Request these one after the other: all but the last take effect at once. */
  | { readonly kind: 'go'; readonly steps: readonly NodeStep[] }
  /** Ironic is changing the node's state. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'done' }
  /** Ironic does nothing with the node until it has seen that the fault is gone. */
  | { readonly kind: 'faulty'; readonly fault: string }
  | { readonly kind: 'fail'; readonly message: string };

export const wait: Move = { kind: 'wait' };
export const done: Move = { kind: 'done' };

/** Requests nothing for a node in fault; maintenance set by a person is ended first. */
export function go(node: IronicNode, ...steps: readonly Target[]): Move {
  if (node.fault !== null) return { kind: 'faulty', fault: node.fault };
  return { kind: 'go', steps: node.maintenance ? ['clear maintenance', ...steps] : steps };
}

/** A fault that Ironic itself monitors and clears. */
const HEALS_BY_ITSELF = 'power failure';

/** Like `go`, for a failed node: its maintenance and fault come from the failure that is retried. */
export function recover(node: IronicNode, ...steps: readonly Target[]): Move {
  if (node.fault === HEALS_BY_ITSELF) return { kind: 'faulty', fault: node.fault };
  return { kind: 'go', steps: node.maintenance || node.fault !== null ? ['clear maintenance', ...steps] : steps };
}

/** Fails with Ironic's own reason; for an empty text the caller looks up the reason. */
export const failWithReason = (node: IronicNode): Move => ({ kind: 'fail', message: node.lastError ?? '' });

/** What to do with a node in one state. */
type Row<Options> = (node: IronicNode, options: Options) => Move;

/** By the current state of the node. */
export type MoveTable<Options> = Readonly<Record<KnownState, Row<Options>>>;

/** The same for each of these states. */
export function each<State extends KnownState, Value>(
  states: readonly State[],
  value: Value,
): Readonly<Record<State, Value>> {
  return Object.fromEntries(states.map((state) => [state, value])) as Record<State, Value>;
}

/** A rescue or a service that somebody else has begun, and how it failed. */
export const RESCUE_AND_SERVICE = ['rescue', 'rescue failed', 'unrescue failed', 'service failed'] as const;

export const HOLD_STATES = ['clean hold', 'deploy hold', 'service hold'] as const satisfies readonly KnownState[];

/** The row of a state; `unknown` for a state of a later Ironic. */
export const rowOf = <Row>(rows: Readonly<Record<KnownState, Row>>, state: NodeState, unknown: Row): Row =>
  Object.hasOwn(rows, state) ? rows[state as KnownState] : unknown;

/** `impossible`: nothing leads from the state to what is wanted. */
type Rows<Options> = Readonly<
  Record<Exclude<KnownState, WithoutRow>, Row<Options> | 'impossible'> & Partial<Record<WithoutRow, Row<Options>>>
>;
type WithoutRow = BusyNodeState | (typeof HOLD_STATES)[number];

/**
 * How a node becomes what is `wanted`. Without a row, a state that Ironic leaves by itself is waited for; one in which
 * somebody has asked Ironic to stop is a failure, because only that person knows when it may go on.
 */
export function movesTo<Options>(wanted: string, rows: Rows<Options>): Row<Options> {
  const table = { ...each(BUSY_NODE_STATES, (): Move => wait), ...each(HOLD_STATES, heldFor(wanted)), ...rows };
  return (node, options) => {
    const row = rowOf<Row<Options> | 'impossible'>(table, node.state, 'impossible');
    return row === 'impossible' ? cannotBe(wanted, node) : row(node, options);
  };
}

export const cannotBe = (wanted: string, { id, state }: IronicNode): Move => ({
  kind: 'fail',
  message: `node ${id} is in state '${state}' and can't be ${wanted}`,
});

const heldFor =
  (wanted: string) =>
  ({ id, state }: IronicNode): Move => ({
    kind: 'fail',
    message: `node ${id} is in state '${state}', in which somebody has asked Ironic to stop, and can't be ${wanted}`,
  });

/** The node after Ironic accepted the step; Ironic changes the state before it answers. */
export function afterStep(node: IronicNode, step: NodeStep): IronicNode {
  if (step === 'clear maintenance') return { ...node, maintenance: false, fault: null };
  return { ...node, state: stateAfter(node.state, step), lastError: null };
}

function stateAfter(state: NodeState, target: Target): NodeState {
  switch (target) {
    case 'manage':
      return state === 'enroll' ? 'verifying' : 'manageable';
    case 'provide':
    case 'clean':
      return 'cleaning';
    case 'inspect':
      return 'inspecting';
    case 'active':
      return 'deploying';
    case 'deleted':
      return 'deleting';
    case 'adopt':
      return 'adopting';
    case 'abort':
      // Ironic's progress is not known here.
      return state;
  }
}
