/** A budget in which a host needs a place: at most `limit` hosts at a time. */
export interface Need {
  /**
   * The object that has the budget, with its steps and label: `erase in Namespace metal, zone=a`. Without the limit.
   */
  readonly budget: string;
  readonly limit: number;
}

/** A host's request for a place in all its budgets at once. */
export interface PlaceRequest {
  /** Workflow id of the host, which gets the answer. It has one request at a time. */
  readonly holder: string;
  /** Uid of the BareMetalHost: a recreated one is another host. */
  readonly uid: string;
  /** Identifies this request: a repeated request has the same ticket. Begins with the uid and a `/`. */
  readonly ticket: string;
  readonly needs: readonly Need[];
  /** The step has begun already: the host gets its places even above the limits, and they count. */
  readonly underway: boolean;
  /** The host may have places of a lost run: it keeps them if they are in all of these budgets. */
  readonly isForgotten?: true;
}

/** A host that has its places or waits for them. */
export interface PlaceApplicant {
  readonly holder: string;
  readonly ticket: string;
  /** Indexes in `names`, each with the limit that the host knows. */
  readonly needs: readonly (readonly [budget: number, limit: number])[];
  /** The host has no answer yet, or its last answer is outdated. */
  readonly untold?: true;
  /** The host has just got its place, or it had no run when it was last signalled. */
  readonly unseen?: true;
}

/**
 * Which hosts have places in budgets, and which wait, in the order of their requests. Plain JSON; continue-as-new
 * passes it on and takes at most 2 MB, so it has each name once.
 */
export interface Budgets {
  readonly version: 1;
  readonly names: readonly string[];
  readonly holders: readonly PlaceApplicant[];
  readonly queue: readonly PlaceApplicant[];
}

export const UNUSED: Budgets = { version: 1, names: [], holders: [], queue: [] };

/** Waiting hosts of each budget that are signalled when its holders change. The others learn it when they ask again. */
const TOLD_OF_CHANGES = 5;

/**
 * Records a request. A repeated one keeps its place, with the budgets and limits that it names now. Another request of
 * the same holder means that the host does another step, or that its run was lost: with the same uid it keeps its
 * position in the queue. It keeps the places that it holds only if the step has begun, or if the run that asked for them
 * was lost and they are in all of the budgets that it names now.
 */
export function ask(budgets: Budgets, request: PlaceRequest): Budgets {
  const { holder, ticket, uid, underway, isForgotten } = request;
  const names = [...new Set([...budgets.names, ...request.needs.map(({ budget }) => budget)])];
  const limits = new Map(request.needs.map(({ budget, limit }) => [names.indexOf(budget), limit]));
  const needs = [...limits];
  const asking: PlaceApplicant = { holder, ticket, needs, untold: true };
  const isOther = (entry: PlaceApplicant): boolean => entry.holder !== holder;
  const holders = budgets.holders.filter(isOther);
  const had = budgets.holders.find((entry) => entry.holder === holder);
  const keepsForgotten = isForgotten && isOfHost(had, uid) && isInAll(had, needs);
  if (underway || keepsForgotten || budgets.holders.some((entry) => entry.ticket === ticket))
    return withNews(budgets, {
      ...budgets,
      names,
      holders: [...holders, asking],
      queue: budgets.queue.filter(isOther),
    });
  const before = budgets.queue.find((entry) => entry.holder === holder);
  const queue = isOfHost(before, uid)
    ? budgets.queue.map((entry) => (entry === before ? asking : entry))
    : [...budgets.queue.filter(isOther), asking];
  return withNews(budgets, { ...budgets, names, holders, queue });
}

/** False for a recreated host of the same name. */
const isOfHost = (entry: PlaceApplicant | undefined, uid: string): entry is PlaceApplicant =>
  entry?.ticket.startsWith(`${uid}/`) === true;

const isInAll = ({ needs: had }: PlaceApplicant, needs: PlaceApplicant['needs']): boolean =>
  needs.every(([budget]) => had.some(([other]) => other === budget));

/** Frees places, or leaves the queue. An unknown ticket changes nothing. */
export function giveBack(budgets: Budgets, ticket: string): Budgets {
  const isOther = (entry: PlaceApplicant): boolean => entry.ticket !== ticket;
  const { holders, queue } = budgets;
  if (holders.every(isOther) && queue.every(isOther)) return budgets;
  return withNews(budgets, { ...budgets, holders: holders.filter(isOther), queue: queue.filter(isOther) });
}

/**
 * Gives places to the waiting hosts in the order of their requests. A host gets all of its places at once, and only if
 * no host before it waits for one of the same budgets. So no host is overtaken, and none holds a place while it waits
 * for another.
 */
export function grant(budgets: Budgets): Budgets {
  const taken = takenIn(budgets.holders);
  const awaited = new Set<number>();
  const granted = budgets.queue.filter(({ needs }) => {
    const fits = needs.every(([budget, limit]) => !awaited.has(budget) && (taken.get(budget) ?? 0) < limit);
    for (const [budget] of needs) {
      if (fits) taken.set(budget, (taken.get(budget) ?? 0) + 1);
      else awaited.add(budget);
    }
    return fits;
  });
  if (granted.length === 0) return budgets;
  const given = new Set(granted);
  return withNews(budgets, {
    ...budgets,
    holders: [
      ...budgets.holders,
      ...granted.map((entry): PlaceApplicant => ({ ...entry, untold: true, unseen: true })),
    ],
    queue: budgets.queue.filter((entry) => !given.has(entry)),
  });
}

function takenIn(holders: readonly PlaceApplicant[]): Map<number, number> {
  const taken = new Map<number, number>();
  for (const { needs } of holders) for (const [budget] of needs) taken.set(budget, (taken.get(budget) ?? 0) + 1);
  return taken;
}

/** Marks the first hosts that wait for a budget, when its holders have changed: they are signalled again. */
function withNews(before: Budgets, after: Budgets): Budgets {
  const changed = new Set(budgetsOf(before.holders, after.holders));
  for (const budget of budgetsOf(after.holders, before.holders)) changed.add(budget);
  if (changed.size === 0) return after;
  const told = new Map<number, number>();
  const isNews = ([budget]: readonly [number, number]): boolean => {
    const count = told.get(budget) ?? 0;
    told.set(budget, count + 1);
    return changed.has(budget) && count < TOLD_OF_CHANGES;
  };
  const queue = after.queue.map((entry) =>
    entry.needs.filter(isNews).length === 0 ? entry : { ...entry, untold: true as const },
  );
  return { ...after, queue };
}

/** The budgets of the entries that are not among `others`. */
function budgetsOf(entries: readonly PlaceApplicant[], others: readonly PlaceApplicant[]): readonly number[] {
  const known = new Set(others.map(({ ticket }) => ticket));
  return entries.filter(({ ticket }) => !known.has(ticket)).flatMap(({ needs }) => needs.map(([budget]) => budget));
}

/** Why a host waits. */
export interface Obstacle {
  readonly budget: string;
  readonly limit: number;
  /** Number of hosts that have a place in the budget, and the first of them. */
  readonly held: number;
  readonly holders: readonly string[];
  /** Number of hosts that have waited for the same budget for longer. */
  readonly ahead: number;
}

export interface ToldApplicant {
  readonly applicant: PlaceApplicant;
  /** Absent: the host has its places. */
  readonly waitsFor?: Obstacle;
}

/**
 * The first `most` applicants without an answer, holders first, and the budgets in which they are marked as answered.
 */
export function answers(
  budgets: Budgets,
  most: number,
): { readonly budgets: Budgets; readonly told: readonly ToldApplicant[] } {
  const { holders, queue } = budgets;
  const granted = holders.filter(({ untold }) => untold).slice(0, most);
  const waiting = queue.filter(({ untold }) => untold).slice(0, most - granted.length);
  const now = new Set([...granted, ...waiting]);
  const marked = (entry: PlaceApplicant): PlaceApplicant => (now.has(entry) ? withoutMark(entry, 'untold') : entry);
  return {
    budgets: { ...budgets, holders: holders.map(marked), queue: queue.map(marked) },
    told: [
      ...granted.map((applicant) => ({ applicant })),
      ...waiting.map((applicant) => ({ applicant, waitsFor: obstacleOf(budgets, applicant) })),
    ],
  };
}

const NAMED = 5;

/**
 * The budget that keeps a host waiting: one without a free place, or else one for which other hosts have waited for
 * longer.
 */
function obstacleOf({ names, holders, queue }: Budgets, applicant: PlaceApplicant): Obstacle {
  const before = queue.slice(0, queue.indexOf(applicant));
  const obstacles = applicant.needs.map(([index, limit]): Obstacle => {
    const uses = ({ needs }: PlaceApplicant): boolean => needs.some(([budget]) => budget === index);
    const holding = holders.filter(uses);
    return {
      budget: names[index] ?? '',
      limit,
      held: holding.length,
      holders: holding.slice(0, NAMED).map(({ holder }) => holder),
      ahead: before.filter(uses).length,
    };
  });
  const first = obstacles.find(({ held, limit }) => held >= limit) ?? obstacles.find(({ ahead }) => ahead > 0);
  return first ?? { budget: '', limit: 0, held: 0, holders: [], ahead: 0 };
}

/**
 * Records whether the run of a holder existed when it was signalled. When it is missing twice in a row, its place
 * becomes free: the bridge starts a lost run again between two looks. A holder that has just got its place loses it at
 * once.
 */
export function lookedAt(budgets: Budgets, ticket: string, isThere: boolean): Budgets {
  const found = budgets.holders.find((entry) => entry.ticket === ticket);
  if (found === undefined || (isThere && !found.unseen)) return budgets;
  if (!isThere && found.unseen) return giveBack(budgets, ticket);
  const looked: PlaceApplicant = isThere ? withoutMark(found, 'unseen') : { ...found, unseen: true };
  return { ...budgets, holders: budgets.holders.map((entry) => (entry === found ? looked : entry)) };
}

/** The holders of places that others wait for. */
export function waitedFor({ holders, queue }: Budgets): readonly PlaceApplicant[] {
  const awaited = new Set(queue.flatMap(({ needs }) => needs.map(([budget]) => budget)));
  return holders.filter(({ needs }) => needs.some(([budget]) => awaited.has(budget)));
}

/** Moves these holders behind the others, without changing their order. */
export function atTheEnd(budgets: Budgets, looked: readonly PlaceApplicant[]): Budgets {
  const tickets = new Set(looked.map(({ ticket }) => ticket));
  const isLookedAt = ({ ticket }: PlaceApplicant): boolean => tickets.has(ticket);
  const { holders } = budgets;
  return { ...budgets, holders: [...holders.filter((each) => !isLookedAt(each)), ...holders.filter(isLookedAt)] };
}

function withoutMark(entry: PlaceApplicant, mark: 'untold' | 'unseen'): PlaceApplicant {
  const { [mark]: _, ...rest } = entry;
  return rest;
}

/** Drops the names of budgets that no host needs any more. */
export function tidied(budgets: Budgets): Budgets {
  const used = [
    ...new Set([...budgets.holders, ...budgets.queue].flatMap(({ needs }) => needs.map(([index]) => index))),
  ];
  const renumbered = (entry: PlaceApplicant): PlaceApplicant => ({
    ...entry,
    needs: entry.needs.map(([index, limit]) => [used.indexOf(index), limit] as const),
  });
  return {
    ...budgets,
    names: used.map((index) => budgets.names[index] ?? ''),
    holders: budgets.holders.map(renumbered),
    queue: budgets.queue.map(renumbered),
  };
}
