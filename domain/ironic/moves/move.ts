import { type IronicNode, isBusy, type NodeState } from '../node/node.ts';

/** What Ironic can be told to do with a node, in the words of its API. */
export type Target = 'manage' | 'provide' | 'inspect' | 'clean' | 'active' | 'deleted' | 'adopt' | 'abort';

export type NodeStep = Target | 'clear maintenance';

/** What to do with a node that is found in some state. */
export type Move =
  /** Ask for these, one after the other: all but the last take effect at once. */
  | { readonly kind: 'go'; readonly steps: readonly NodeStep[] }
  /** Ironic is moving the node by itself. */
  | { readonly kind: 'wait' }
  | { readonly kind: 'done' }
  /** Ironic keeps its hands off the node until it has seen the fault go away. */
  | { readonly kind: 'faulty'; readonly fault: string }
  | { readonly kind: 'fail'; readonly message: string };

export const wait: Move = { kind: 'wait' };
export const done: Move = { kind: 'done' };

/** Nothing is asked of a node in fault; a node that a person put into maintenance is taken out of it first. */
export function go(node: IronicNode, ...steps: readonly Target[]): Move {
  if (node.fault !== null) return { kind: 'faulty', fault: node.fault };
  return { kind: 'go', steps: node.maintenance ? ['clear maintenance', ...steps] : steps };
}

/** A fault that Ironic itself watches and takes back. */
const HEALS_BY_ITSELF = 'power failure';

/** As `go`, for a failed node: maintenance and fault come from the failure that is being overcome. */
export function recover(node: IronicNode, ...steps: readonly Target[]): Move {
  if (node.fault === HEALS_BY_ITSELF) return { kind: 'faulty', fault: node.fault };
  return { kind: 'go', steps: node.maintenance || node.fault !== null ? ['clear maintenance', ...steps] : steps };
}

/** Fails with Ironic's own reason; an empty text asks the caller to look the reason up. */
export const failWithReason = (node: IronicNode): Move => ({ kind: 'fail', message: node.lastError ?? '' });

/** By state in which the node is found. */
export type MoveTable<Options> = Readonly<Partial<Record<NodeState, (node: IronicNode, options: Options) => Move>>>;

/** What the table says; a state it does not have is waited out when Ironic leaves it by itself, and a failure otherwise. */
export function moveBy<Options>(table: MoveTable<Options>, node: IronicNode, options: Options, wanted: string): Move {
  const listed = Object.hasOwn(table, node.state) ? table[node.state]?.(node, options) : undefined;
  if (listed !== undefined) return listed;
  if (isBusy(node.state)) return wait;
  return { kind: 'fail', message: `node ${node.id} is in state '${node.state}' and can't be ${wanted}` };
}

/** The node as Ironic has it once it accepted the step; Ironic changes the state before it answers. */
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
      // How far Ironic got with it can't be told from here.
      return state;
  }
}
