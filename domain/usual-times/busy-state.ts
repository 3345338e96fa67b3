import type { ProvisioningState } from '../../api/baremetalhost/values.ts';

/** States in which a host is being worked on, and which end by themselves. */
export const BUSY_STATES = [
  'registering',
  'match profile',
  'inspecting',
  'preparing',
  'provisioning',
  'deprovisioning',
  'powering off before delete',
  'deleting',
] as const satisfies readonly ProvisioningState[];
export type BusyState = (typeof BUSY_STATES)[number];

/** What of a host says whether it is being worked on. */
export interface Seen {
  readonly state: string;
  readonly operationalStatus: string;
  /** A person keeps it from going on: by an annotation, an approval that is waited for, or a move to another cluster. */
  readonly isPaused: boolean;
}

/** Waits for a slot, for another attempt, or for a person: how long that takes says nothing about the hardware. */
const WAITING: readonly string[] = ['error', 'delayed', 'detached'];

export const isBusyState = (state: string): state is BusyState => (BUSY_STATES as readonly string[]).includes(state);

/** The state of a host that is being worked on; undefined: it is at rest, or waits for something else. */
export const busyStateOf = ({ state, operationalStatus, isPaused }: Seen): BusyState | undefined =>
  isBusyState(state) && !isPaused && !WAITING.includes(operationalStatus) ? state : undefined;

/** Since when a host is being worked on in one state. */
export interface Stay {
  readonly state: BusyState;
  /** ms since the epoch. */
  readonly since: number;
  /** It was seen to enter the state, and nothing else was waited for since. */
  readonly isWhole: boolean;
}

/** How long a host was in a state. */
export interface Passage {
  readonly state: BusyState;
  readonly ms: number;
}

interface Written {
  readonly before: Seen;
  readonly after: Seen;
  /** When the status before was written, as far as it says; ms since the epoch. */
  readonly beforeAt: number;
  /** When the status changed; ms since the epoch. */
  readonly at: number;
}

/** What a written status means for the stay of the host. The same status again changes nothing. */
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

/** A host that shows an error, or goes to be erased or deleted although that was not its way, was interrupted. */
function isUsualEnd(from: BusyState, { state, operationalStatus }: Seen): boolean {
  if (operationalStatus === 'error') return false;
  return LEAVING.includes(from) || !LEAVING.includes(state);
}

const LEAVING: readonly string[] = ['deprovisioning', 'powering off before delete', 'deleting'];
