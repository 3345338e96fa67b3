/** A host that has a slot or waits for one. */
export interface SlotApplicant {
  /** Workflow id of the host, which gets the answer. It has one request at a time. */
  readonly holder: string;
  /**
   * Identifies this request: a repeated request has the same ticket. Begins with the uid of the BareMetalHost and a
   * `/`.
   */
  readonly ticket: string;
  /** UUID of the host's Ironic node, '' before there is one. */
  readonly nodeId: string;
}

/** A host's request for a slot. */
export interface SlotRequest extends SlotApplicant {
  /** Uid of the BareMetalHost: a recreated one is another host. */
  readonly uid: string;
  /** Number of slots configured at the time of the request. */
  readonly limit: number;
}

interface Queued extends SlotApplicant {
  /** The host has not yet been told its position in the queue. */
  readonly untold?: true;
}

/**
 * Which hosts have a slot and which wait for one, in the order of their requests. Plain JSON; continue-as-new passes it
 * on and takes at most 2 MB, so it holds the minimum and 10,000 hosts fit.
 */
export interface Capacity {
  readonly version: 1;
  /** The limit of the newest request. */
  readonly limit: number;
  readonly holders: readonly SlotApplicant[];
  readonly queue: readonly Queued[];
}

export const NOBODY: Capacity = { version: 1, limit: 0, holders: [], queue: [] };

/**
 * Records a request. A known request keeps its place, and a host in the queue is answered again. A new request of the
 * same holder means that the host lost its memory: it keeps its place in the queue if the uid is the same, but not its
 * slot, because a node that really is busy is seen in Ironic.
 */
export function ask(capacity: Capacity, request: SlotRequest): Capacity {
  const { limit, uid, ...applicant } = request;
  if (capacity.holders.some(({ ticket }) => ticket === request.ticket)) return { ...capacity, limit };
  const holders = capacity.holders.filter(({ holder }) => holder !== request.holder);
  const queued: Queued = { ...applicant, untold: true };
  const before = capacity.queue.find(({ holder }) => holder === request.holder);
  const queue = before?.ticket.startsWith(`${uid}/`)
    ? capacity.queue.map((other) => (other === before ? queued : other))
    : [...capacity.queue.filter((other) => other !== before), queued];
  return { ...capacity, limit, holders, queue };
}

/** Frees a slot or leaves the queue. An unknown ticket changes nothing. */
export function giveBack(capacity: Capacity, ticket: string): Capacity {
  const others = (entry: SlotApplicant): boolean => entry.ticket !== ticket;
  return { ...capacity, holders: capacity.holders.filter(others), queue: capacity.queue.filter(others) };
}

/**
 * Grants free slots in the order of the requests. `busy` has the UUIDs of the nodes that Ironic was working on in a
 * list that was requested after the last slot was returned. A busy node without a slot uses up one slot, even if
 * Temper has not started it. A host whose own node is busy gets its slot at once: it uses no additional one.
 */
export function grant(
  capacity: Capacity,
  busy: readonly string[],
): { readonly capacity: Capacity; readonly granted: readonly SlotApplicant[] } {
  const granted = capacity.queue.filter(({ nodeId }) => busy.includes(nodeId));
  const held = new Set([...capacity.holders, ...granted].map(({ nodeId }) => nodeId));
  const strangers = new Set(busy.filter((nodeId) => !held.has(nodeId))).size;
  const waiting = capacity.queue.filter((entry) => !granted.includes(entry));
  const free = Math.max(capacity.limit - capacity.holders.length - granted.length - strangers, 0);
  const all = [...granted, ...waiting.slice(0, free)].map(told);
  return {
    capacity: { ...capacity, holders: [...capacity.holders, ...all], queue: waiting.slice(free) },
    granted: all,
  };
}

function told(entry: Queued): SlotApplicant {
  const { untold: _, ...applicant } = entry;
  return applicant;
}

/**
 * True when a list of Ironic's nodes could lead to a grant: a slot is free, or the node of a waiting host may be busy.
 */
export const mayGrant = ({ queue, holders, limit }: Capacity): boolean =>
  queue.length > 0 && (holders.length < limit || queue.some(({ untold }) => untold));

/**
 * The first `most` waiting hosts that do not know their position, and the capacity in which they are marked as told.
 */
export function places(
  capacity: Capacity,
  most: number,
): {
  readonly capacity: Capacity;
  readonly places: readonly { readonly applicant: SlotApplicant; readonly ahead: number }[];
} {
  const untold = capacity.queue.flatMap((entry, ahead) => (entry.untold ? [{ entry, ahead }] : [])).slice(0, most);
  const next = new Set(untold.map(({ entry }) => entry));
  return {
    capacity: { ...capacity, queue: capacity.queue.map((entry) => (next.has(entry) ? told(entry) : entry)) },
    places: untold.map(({ entry, ahead }) => ({ applicant: told(entry), ahead })),
  };
}
