import { type BusyState, isBusyState, traitsOf } from '../states/table.ts';

/** The facts of a host that tell whether it is being worked on. */
export interface HostProgress {
  readonly state: string;
  readonly operationalStatus: string;
  /**
   * A person holds the host back: by an annotation, by an approval that it waits for, or by a move to another cluster.
   */
  readonly isPaused: boolean;
}

/** Waits for a slot, for another attempt, or for a person: how long that takes says nothing about the hardware. */
const WAITING: readonly string[] = ['error', 'delayed', 'detached'];

/** The state of a host that is being worked on; undefined: it is at rest, or waits for something else. */
export const busyStateOf = ({ state, operationalStatus, isPaused }: HostProgress): BusyState | undefined =>
  isBusyState(state) && !isPaused && !WAITING.includes(operationalStatus) ? state : undefined;

/** Since when a host is being worked on in one state. */
export interface Stay {
  readonly state: BusyState;
  /** ms since the epoch. */
  readonly since: number;
  /** The bridge saw the host enter the state, and the host has waited for nothing else since. */
  readonly isWhole: boolean;
}

/** How long a host was in a state. */
export interface Passage {
  readonly state: BusyState;
  readonly ms: number;
}

interface Written {
  readonly before: HostProgress;
  readonly after: HostProgress;
  /** When the status before was written, as far as it says; ms since the epoch. */
  readonly beforeAt: number;
  /** When the status changed; ms since the epoch. */
  readonly at: number;
}

/** How a written status changes the stay of the host in its state. The same status again changes nothing. */
export function stayAfter(
  stay: Stay | undefined,
  { before, after, beforeAt, at }: Written,
): { readonly stay?: Stay; readonly passage?: Passage } {
  const [was, is] = [busyStateOf(before), busyStateOf(after)];
  const known = stay?.state === before.state ? stay : undefined;
  const hasMoved = before.state !== after.state;
  const passage =
    hasMoved && was !== undefined && known?.isWhole && isUsualEnd(was, after)
      ? { passage: { state: was, ms: Math.max(0, at - known.since) } }
      : {};
  if (is === undefined) return passage;
  if (hasMoved) return { stay: { state: is, since: at, isWhole: true }, ...passage };
  if (was === undefined) return { stay: { state: is, since: at, isWhole: false } };
  return { stay: known ?? { state: is, since: beforeAt, isWhole: false } };
}

/**
 * A host was interrupted when it shows an error, or turns to being erased or deleted in the middle of another state.
 */
function isUsualEnd(from: BusyState, { state, operationalStatus }: HostProgress): boolean {
  if (operationalStatus === 'error') return false;
  return traitsOf(from).operation.interrupts || !traitsOf(state).operation.interrupts;
}
