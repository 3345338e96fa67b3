import { withNews } from './answers.ts';
import { bounded, sized } from './bound.ts';
import { joined, left } from './line.ts';
import { type Applicant, type BudgetName, groupOf, type Lock, nodeMark, type PlaceRequest } from './lock.ts';
import { isTicketOf, shortName } from './marks.ts';

/**
 * Records a request. A repeated one keeps its place, with the budgets and limits that it names now. Another request of
 * the same holder means that the host does another step, or that its run was lost: with the same uid it keeps its
 * position in the queue. It keeps the places that it holds only if the step has begun, or if the run that asked for them
 * was lost and they are in all of the budgets that it names now. Beyond the bound, the last in line of the
 * namespace with most is refused.
 */
export function ask(lock: Lock, request: PlaceRequest): Lock {
  const { holder, ticket, uid, underway, isForgotten } = request;
  const { policy } = lock;
  const [names, needs] = indexed(lock.names, request.needs);
  const node = nodeMark(request.nodeId ?? '');
  const short = shortName(holder);
  const asking = sized({ holder, short, ticket, needs, group: groupOf(policy, holder), node, unanswered: true });
  const isThis = (entry: Applicant): boolean => entry.short === short;
  const had = lock.holders.find(isThis);
  const holders = had === undefined ? lock.holders : lock.holders.filter((entry) => entry !== had);
  const before = lock.queue.find(isThis);
  const others = before === undefined ? lock.queue : left(lock.queue, (entry) => entry === before, policy);
  const refused = lock.refused.filter((entry) => entry.holder !== holder);
  const keepsForgotten = isForgotten && had !== undefined && isTicketOf(had.ticket, uid) && isInAll(had, needs);
  const keeps = underway || keepsForgotten || had?.ticket === ticket;
  const waits = before !== undefined && isTicketOf(before.ticket, uid);
  const next: Lock = keeps
    ? { policy, names, refused, holders: [...holders, asking], queue: others }
    : {
        policy,
        names,
        refused,
        holders,
        queue: waits ? lock.queue.map((entry) => (entry === before ? asking : entry)) : joined(others, asking, policy),
      };
  const leaving = had === undefined || (keeps && had.ticket === ticket) ? [] : [had];
  return withNews(bounded(next), keeps && had?.ticket !== ticket ? [...leaving, asking] : leaving);
}

type Needs = Applicant['needs'];

/** The needs by the indexes of their budgets. A budget that is named twice counts once, with its last limit. */
function indexed(names: readonly BudgetName[], needed: PlaceRequest['needs']): readonly [readonly BudgetName[], Needs] {
  const added: BudgetName[] = [];
  const limits = new Map<number, number>();
  for (const { budget, limit } of needed) {
    const short = shortName(budget);
    const isThis = (name: BudgetName): boolean => name.short === short;
    const known = names.findIndex(isThis);
    const other = added.findIndex(isThis);
    if (known < 0 && other < 0) added.push({ name: budget, short });
    limits.set(known >= 0 ? known : names.length + (other >= 0 ? other : added.length - 1), limit);
  }
  return [added.length === 0 ? names : [...names, ...added], [...limits]];
}

/** True for a host that has places or waits for them. */
export function isKnown({ holders, queue }: Lock, holder: string): boolean {
  const short = shortName(holder);
  return [...holders, ...queue].some((entry) => entry.short === short);
}

const isInAll = ({ needs: had }: Applicant, needs: Needs): boolean =>
  needs.every(([budget]) => had.some(([other]) => other === budget));

/** Frees places, or leaves the queue. An unknown ticket changes nothing. */
export function giveBack(lock: Lock, ticket: string): Lock {
  const isThis = (entry: Applicant): boolean => entry.ticket === ticket;
  const leaving = lock.holders.filter(isThis);
  if (leaving.length === 0 && !lock.queue.some(isThis)) return lock;
  const holders = leaving.length === 0 ? lock.holders : lock.holders.filter((entry) => !isThis(entry));
  return withNews({ ...lock, holders, queue: left(lock.queue, isThis, lock.policy) }, leaving);
}
