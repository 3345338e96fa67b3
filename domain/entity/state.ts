import { same } from '../same.ts';
import type { Entity } from './entity.ts';
import { isBefore, type Order } from './order.ts';
import type { Observation, Seen } from './seen.ts';
import type { EntityView, Shown } from './view.ts';

/** What a run knows of its object and hands to the next one; plain JSON. */
export interface State<Memory> {
  readonly seen: Seen;
  /** Of the last snapshot, and of that from which the memory began. */
  readonly order: Order;
  readonly begun: Order;
  readonly memory: Memory;
  /** Grows when something else is to be shown. */
  readonly revision: number;
  /** When it grew last; ms since the epoch. */
  readonly at: number;
  /** What the bridge took last. */
  readonly shown: { readonly revision: number; readonly what: Shown } | null;
  /** Operations begun so far: ids of child workflows are built from it. */
  readonly operations: number;
}

type Known<Memory> = Pick<State<Memory>, 'seen' | 'order' | 'begun' | 'memory'>;
type Showing<Memory> = Pick<Entity<never, Memory, never, never>, 'show'>;

/**
 * Takes on what became known. The one place where the revision moves: when the object is to show something else, or another
 * generation is taken into account.
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

/** True when the second says something that the first does not. Events that are recorded, and annotations that are gone, are no news. */
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

/** Undefined: the snapshot was sent before the last one. The memory of an object of another uid, or of a run that is to begin anew, is new. */
export function observedNext<Snapshot extends Seen, Memory>(
  before: State<Memory> | undefined,
  { snapshot, order, anew }: Observation<Snapshot>,
  { begin, absorb }: Pick<Entity<Snapshot, Memory, never, never>, 'begin' | 'absorb'>,
): Known<Memory> | undefined {
  const seen = identityOf(snapshot);
  if (before === undefined) return { seen, order, begun: order, memory: begin(snapshot) };
  if (isBefore(order, before.order)) return undefined;
  if (before.seen.uid !== snapshot.uid) return { seen, order, begun: order, memory: begin(snapshot, before.memory) };
  if (anew) return { seen, order, begun: order, memory: begin(snapshot) };
  return { seen, order, begun: before.begun, memory: absorb(before.memory, snapshot) };
}

function identityOf(seen: Seen): Seen {
  const { namespace, name, uid, resourceVersion, generation, creationTimestamp, deletionTimestamp } = seen;
  return {
    namespace,
    name,
    uid,
    resourceVersion,
    generation,
    creationTimestamp,
    ...(deletionTimestamp !== undefined && { deletionTimestamp }),
  };
}

/** What a view shows, without what every view tells. */
export function shownOf(view: EntityView): Shown {
  const { kind: _, namespace: _1, name: _2, uid: _3, generation: _4, leaving: _5, ...rest } = view;
  const { run: _6, revision: _7, at: _8, order: _9, waitingFor: _10, until: _11, retrying: _12, ...shown } = rest;
  const { events } = shown;
  return events === undefined
    ? shown
    : { ...shown, events: events.map((event) => ({ ...event, id: ownId(event.id) })) };
}

/** Events are numbered from where the memory began: one that began anew numbers them anew. */
export const eventId = ({ begun }: Pick<State<unknown>, 'begun'>, id: string): string =>
  `${begun.epoch}.${begun.number}/${id}`;

const ownId = (id: string): string => id.slice(id.indexOf('/') + 1);
