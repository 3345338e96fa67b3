/** A budget in which a host needs a place: at most `limit` hosts at a time. */
export interface Need {
  /** Whose budget it is, and for which steps and label: `erase in Namespace metal, zone=a`. The limit is no part of it. */
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
  /** The host is amidst the step: it has its places whatever the limits are, and they count. */
  readonly underway: boolean;
}

/** A host that has its places or waits for them. */
export interface Applicant {
  readonly holder: string;
  readonly ticket: string;
  /** Indexes in `names`, each with the limit that the host knows. */
  readonly needs: readonly (readonly [budget: number, limit: number])[];
  /** It has not yet been answered, or something changed since. */
  readonly untold?: true;
  /** It has just got its place, or its run was not there when it was told of it. */
  readonly unseen?: true;
}

/**
 * Which hosts have places in budgets, and which wait, in the order of their requests. Plain JSON; continue-as-new passes it
 * on and takes at most 2 MB, so it has each name once.
 */
export interface Budgets {
  readonly version: 1;
  readonly names: readonly string[];
  readonly holders: readonly Applicant[];
  readonly queue: readonly Applicant[];
}

export const UNUSED: Budgets = { version: 1, names: [], holders: [], queue: [] };

/** Hosts of each budget that are told when its holders change; the others learn it when they ask again. */
const TOLD_OF_CHANGES = 5;

/**
 * Records a request. A repeated one keeps its place, with the budgets and limits that it names now. Another request of the
 * same holder means that the host does another step, or that its run was lost: it keeps its place in the queue if the uid
 * is the same, and what it holds only amidst the step.
 */
export function ask(budgets: Budgets, request: PlaceRequest): Budgets {
  const { holder, ticket, uid, underway } = request;
  const names = [...new Set([...budgets.names, ...request.needs.map(({ budget }) => budget)])];
  const limits = new Map(request.needs.map(({ budget, limit }) => [names.indexOf(budget), limit]));
  const needs = [...limits];
  const asking: Applicant = { holder, ticket, needs, untold: true };
  const isOther = (entry: Applicant): boolean => entry.holder !== holder;
  const holders = budgets.holders.filter(isOther);
  if (underway || budgets.holders.some((entry) => entry.ticket === ticket))
    return withNews(budgets, {
      ...budgets,
      names,
      holders: [...holders, asking],
      queue: budgets.queue.filter(isOther),
    });
  const before = budgets.queue.find((entry) => entry.holder === holder);
  const queue = before?.ticket.startsWith(`${uid}/`)
    ? budgets.queue.map((entry) => (entry === before ? asking : entry))
    : [...budgets.queue.filter(isOther), asking];
  return withNews(budgets, { ...budgets, names, holders, queue });
}

/** Frees places, or leaves the queue. An unknown ticket changes nothing. */
export function giveBack(budgets: Budgets, ticket: string): Budgets {
  const isOther = (entry: Applicant): boolean => entry.ticket !== ticket;
  const { holders, queue } = budgets;
  if (holders.every(isOther) && queue.every(isOther)) return budgets;
  return withNews(budgets, { ...budgets, holders: holders.filter(isOther), queue: queue.filter(isOther) });
}

/**
 * Gives places to the waiting in the order of their requests. A host gets all of its places at once, and only if nobody
 * before it waits for one of the same budgets: so nobody is overtaken, and nobody holds one while it waits for another.
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
    holders: [...budgets.holders, ...granted.map((entry): Applicant => ({ ...entry, untold: true, unseen: true }))],
    queue: budgets.queue.filter((entry) => !given.has(entry)),
  });
}

function takenIn(holders: readonly Applicant[]): Map<number, number> {
  const taken = new Map<number, number>();
  for (const { needs } of holders) for (const [budget] of needs) taken.set(budget, (taken.get(budget) ?? 0) + 1);
  return taken;
}

/** The first of those that wait for a budget are told again when other hosts hold it. */
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

/** The budgets of those entries that are not among the others. */
function budgetsOf(entries: readonly Applicant[], others: readonly Applicant[]): readonly number[] {
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
  /** Number of hosts that wait for the same budget since longer. */
  readonly ahead: number;
}

export interface Told {
  readonly applicant: Applicant;
  /** Absent: it has its places. */
  readonly waitsFor?: Obstacle;
}

/** The first `most` applicants that have not been answered, holders first, and the budgets with them marked as told. */
export function answers(budgets: Budgets, most: number): { readonly budgets: Budgets; readonly told: readonly Told[] } {
  const { holders, queue } = budgets;
  const granted = holders.filter(({ untold }) => untold).slice(0, most);
  const waiting = queue.filter(({ untold }) => untold).slice(0, most - granted.length);
  const now = new Set([...granted, ...waiting]);
  const marked = (entry: Applicant): Applicant => (now.has(entry) ? withoutMark(entry, 'untold') : entry);
  return {
    budgets: { ...budgets, holders: holders.map(marked), queue: queue.map(marked) },
    told: [
      ...granted.map((applicant) => ({ applicant })),
      ...waiting.map((applicant) => ({ applicant, waitsFor: obstacleOf(budgets, applicant) })),
    ],
  };
}

const NAMED = 5;

/** The budget that keeps a host waiting: one without a free place, or else one for which others wait since longer. */
function obstacleOf({ names, holders, queue }: Budgets, applicant: Applicant): Obstacle {
  const before = queue.slice(0, queue.indexOf(applicant));
  const obstacles = applicant.needs.map(([index, limit]): Obstacle => {
    const uses = ({ needs }: Applicant): boolean => needs.some(([budget]) => budget === index);
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
 * The run of a holder was there when it was told of its place, or was not. The place of one that was not there twice in turn
 * is free, because between two looks the bridge starts a lost run again; that of one that has just got it is free at once.
 */
export function lookedAt(budgets: Budgets, ticket: string, isThere: boolean): Budgets {
  const found = budgets.holders.find((entry) => entry.ticket === ticket);
  if (found === undefined || (isThere && !found.unseen)) return budgets;
  if (!isThere && found.unseen) return giveBack(budgets, ticket);
  const looked: Applicant = isThere ? withoutMark(found, 'unseen') : { ...found, unseen: true };
  return { ...budgets, holders: budgets.holders.map((entry) => (entry === found ? looked : entry)) };
}

/** The holders of places that others wait for. */
export function waitedFor({ holders, queue }: Budgets): readonly Applicant[] {
  const awaited = new Set(queue.flatMap(({ needs }) => needs.map(([budget]) => budget)));
  return holders.filter(({ needs }) => needs.some(([budget]) => awaited.has(budget)));
}

/** With these holders behind the others, in the same order. */
export function atTheEnd(budgets: Budgets, looked: readonly Applicant[]): Budgets {
  const tickets = new Set(looked.map(({ ticket }) => ticket));
  const isLookedAt = ({ ticket }: Applicant): boolean => tickets.has(ticket);
  const { holders } = budgets;
  return { ...budgets, holders: [...holders.filter((each) => !isLookedAt(each)), ...holders.filter(isLookedAt)] };
}

function withoutMark(entry: Applicant, mark: 'untold' | 'unseen'): Applicant {
  const { [mark]: _, ...rest } = entry;
  return rest;
}

/** Without the names of budgets that nobody needs any more. */
export function tidied(budgets: Budgets): Budgets {
  const used = [
    ...new Set([...budgets.holders, ...budgets.queue].flatMap(({ needs }) => needs.map(([index]) => index))),
  ];
  const renumbered = (entry: Applicant): Applicant => ({
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
