/** One host that has, or waits for, one of the places that Ironic has for hosts at work. */
export interface Applicant {
  /** Id of the host's workflow, which is told; it has one request at a time. */
  readonly holder: string;
  /** Names this request for good: asked twice it is the same request. Begins with the uid of the BareMetalHost and a `/`. */
  readonly ticket: string;
  /** Ironic's UUID of the host's node, '' before there is one. */
  readonly nodeId: string;
}

/** One host's wish for a place. */
export interface SlotRequest extends Applicant {
  /** Of the BareMetalHost: a recreated one is another host. */
  readonly uid: string;
  /** Places there are, as configured when this was asked. */
  readonly limit: number;
}

interface Queued extends Applicant {
  /** Its host is still to be told how many are ahead. */
  readonly untold?: true;
}

/**
 * Who has a slot and who waits for one, first come first. Plain JSON; carried over by continue-as-new, which takes at
 * most 2 MB: nothing is in it that can be left out, so that 10,000 hosts fit.
 */
export interface Capacity {
  readonly version: 1;
  /** Of the newest request. */
  readonly limit: number;
  readonly holders: readonly Applicant[];
  readonly queue: readonly Queued[];
}

export const NOBODY: Capacity = { version: 1, limit: 0, holders: [], queue: [] };

/**
 * Takes in a request. One that is known stays where it is, and a host in the queue is answered again. A host that asks anew has
 * forgotten its earlier request: the place in the queue is kept for the same uid, a slot is not, because a node that is
 * really at work is seen in Ironic.
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
  const others = (entry: Applicant): boolean => entry.ticket !== ticket;
  return { ...capacity, holders: capacity.holders.filter(others), queue: capacity.queue.filter(others) };
}

/**
 * Hands out what is free, in the order of asking. `busy`: UUIDs of the nodes that Ironic was seen to have in hand after
 * every slot given back so far was given back; those that nobody holds a slot for take up one each, whoever set them to
 * work. A host whose own node is among them is let through: it would take up no more than it does.
 */
export function grant(
  capacity: Capacity,
  busy: readonly string[],
): { readonly capacity: Capacity; readonly granted: readonly Applicant[] } {
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

function told(entry: Queued): Applicant {
  const { untold: _, ...applicant } = entry;
  return applicant;
}

/** True when a look at Ironic could lead to a grant: some slot is not held, or a host may find its own node at work. */
export const mayGrant = ({ queue, holders, limit }: Capacity): boolean =>
  queue.length > 0 && (holders.length < limit || queue.some(({ untold }) => untold));

/** The first `most` hosts that wait and have not been told how many are ahead of them; and the same once they have been. */
export function places(
  capacity: Capacity,
  most: number,
): {
  readonly capacity: Capacity;
  readonly places: readonly { readonly applicant: Applicant; readonly ahead: number }[];
} {
  const untold = capacity.queue.flatMap((entry, ahead) => (entry.untold ? [{ entry, ahead }] : [])).slice(0, most);
  const next = new Set(untold.map(({ entry }) => entry));
  return {
    capacity: { ...capacity, queue: capacity.queue.map((entry) => (next.has(entry) ? told(entry) : entry)) },
    places: untold.map(({ entry, ahead }) => ({ applicant: told(entry), ahead })),
  };
}
