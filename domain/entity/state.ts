import { same } from '../same.ts';
import type { Entity } from './entity.ts';
import { isBefore, type Order } from './order.ts';
import { identityOf, type Observation, type Seen } from './seen.ts';
import type { EntityView, Shown } from './view.ts';

/** The state that a run passes to the next one; plain JSON. */
export interface State<Memory> {
  readonly seen: Seen;
  /** `order`: of the last snapshot; `begun`: of the snapshot from which the memory began. */
  readonly order: Order;
  readonly begun: Order;
  readonly memory: Memory;
  /** The run that was reset and for which the memory began again. */
  readonly begunFor?: string;
  /** Incremented when the view changes. */
  readonly revision: number;
  /** When the revision was incremented; ms since the epoch. */
  readonly at: number;
  /** The last view that the bridge answered, and when it last wrote one; ms since the epoch. */
  readonly shown: { readonly revision: number; readonly what: Shown; readonly at?: number } | null;
  /** Number of operations started so far; part of the ids of child workflows. */
  readonly operations: number;
}

type Known<Memory> = Pick<State<Memory>, 'seen' | 'order' | 'begun' | 'begunFor' | 'memory'>;
type Showing<Memory> = Pick<Entity<never, Memory, never, never>, 'show'>;

/**
 * Stores a memory. Only this function increments the revision: when the view changes, or the generation that it is
 * based on.
 */
export function withKnown<Memory>(
  before: State<Memory> | undefined,
  known: Known<Memory>,
  { show }: Showing<Memory>,
  now: number,
): State<Memory> {
  const isAnother = before === undefined || before.seen.uid !== known.seen.uid || before.begun !== known.begun;
  const { revision = 0, at = now, operations = 0 } = before ?? {};
  const next = { ...known, revision, at, operations, shown: isAnother ? null : (before?.shown ?? null) };
  const isNews =
    isAnother ||
    before.seen.generation !== known.seen.generation ||
    (before.memory !== known.memory && shows(show(before.memory), show(known.memory)));
  return isNews ? { ...next, revision: revision + 1, at: now } : next;
}

/**
 * True when the second must be published after the first. Removed Events and annotations do not count: they were
 * written.
 */
function shows(
  { events: known = [], annotations: written = {}, ...before }: Shown,
  { events = [], annotations = {}, ...after }: Shown,
): boolean {
  return (
    events.some(({ id }) => !known.some((event) => event.id === id)) ||
    Object.entries(annotations).some(([key, value]) => written[key] !== value) ||
    !same(before, after)
  );
}

/**
 * undefined: the snapshot is older than the last one. For an object with another uid, and with `anew`, the memory
 * starts again.
 */
export function observedNext<Snapshot extends Seen, Memory>(
  before: State<Memory> | undefined,
  { snapshot, order, anew, reset }: Observation<Snapshot>,
  {
    begin,
    begunAgain,
    absorb,
    dated,
  }: Pick<Entity<Snapshot, Memory, never, never>, 'begin' | 'begunAgain' | 'absorb' | 'dated'>,
  now: number,
): Known<Memory> | undefined {
  const seen = identityOf(snapshot);
  if (before === undefined) return { seen, order, begun: order, memory: begin(snapshot) };
  if (isBefore(order, before.order)) return undefined;
  if (before.seen.uid !== snapshot.uid) return { seen, order, begun: order, memory: begin(snapshot, before.memory) };
  if (anew) {
    const memory = begunAgain?.(before.memory, snapshot) ?? begin(snapshot);
    return { seen, order, begun: order, ...(reset !== undefined && { begunFor: reset }), memory };
  }
  const { begun, begunFor } = before;
  const absorbed = absorb(before.memory, snapshot);
  const memory = dated?.(absorbed, before.memory, now) ?? absorbed;
  return { seen, order, begun, ...(begunFor !== undefined && { begunFor }), memory };
}

/** What a view shows, with the ids of Events as the memory has them. */
export const shownOf = ({ shown: { events, ...shown } }: Pick<EntityView, 'shown'>): Shown =>
  events === undefined ? shown : { ...shown, events: events.map((event) => ({ ...event, id: ownId(event.id) })) };

/** Ids of Events: the memory numbers them, so a memory that starts again needs another prefix. */
export const eventId = ({ begun }: Pick<State<unknown>, 'begun'>, id: string): string =>
  `${begun.epoch}.${begun.number}/${id}`;

const ownId = (id: string): string => id.slice(id.indexOf('/') + 1);
