import { allHandlersFinished, CancellationScope, condition, continueAsNew, setHandler } from '@temporalio/workflow';
import {
  answers,
  ask,
  atTheEnd,
  type Budgets,
  giveBack,
  grant,
  lookedAt,
  type PlaceApplicant,
  type ToldApplicant,
  tidied,
  UNUSED,
  waitedFor,
} from '../../domain/budgets/budgets.ts';
import { placeRequest } from '../../domain/budgets/message-shapes.ts';
import { detailsOf } from '../../domain/budgets/words.ts';
import { joined } from '../../domain/entity/markdown.ts';
import type { PlaceAnswer } from '../../domain/host/memory/place-record.ts';
import { filledText, list } from '../../domain/message/shape.ts';
import { checkedSignals } from '../life/checked-messages.ts';
import { interruptedByLength, isLong, isLongWhileWaiting } from '../life/history.ts';
import { createRefusals } from '../life/refusals.ts';
import { showDetails } from '../life/show-details.ts';
import { isSignalled } from '../life/signal-run.ts';
import { placeAnswered } from '../messages.ts';
import { underway } from '../proxies.ts';
import { budgetsView, placeAsked, placesReturned } from './messages.ts';

/** Events after which a run is continued as new. */
const HISTORY_LIMIT = 1_000;
/** Hosts that are signalled at the same time. */
const TOLD_AT_ONCE = 20;
/** While hosts wait: interval at which the holders are asked whether they still need their places. */
const LOOK_AGAIN_MS = 60_000;
/** Holders of one look; the next look begins with the others. */
const LOOKED_AT_ONCE = 200;

export interface BudgetsStart {
  /** The places and the queue of the previous run. */
  readonly budgets?: Budgets;
  /** The hosts whose step has begun have been read from their objects since the first run began. */
  readonly isKnown?: boolean;
  /** Milliseconds between two looks at the holders. */
  readonly lookAgainMs?: number;
  /** When the holders are asked next, while hosts wait; ms since the epoch. */
  readonly lookAt?: number;
}

/**
 * Gives hosts their places in budgets, in the order of the requests. All of Temper's hosts ask this one workflow, so no
 * two hosts are counted at the same time. Ignores cancel requests; when terminated, the next request starts it again.
 */
export const budgetsWorkflow = (start: BudgetsStart): Promise<void> =>
  CancellationScope.nonCancellable(() => serve(start));

async function serve({
  budgets: carried = UNUSED,
  isKnown: wasKnown = false,
  lookAgainMs = LOOK_AGAIN_MS,
  lookAt: lookedAtBy,
}: BudgetsStart): Promise<void> {
  let budgets = carried;
  let isKnown = wasKnown;
  let changes = 0;
  /** A request does not postpone this time: with many hosts, requests arrive all the time. */
  let lookAt = lookedAtBy ?? Date.now() + lookAgainMs;

  const refusals = createRefusals(
    () => showDetails(joined([detailsOf(budgets), refusals.line], '')),
    () => undefined,
  );
  const signal = checkedSignals(refusals);
  signal(placeAsked, {
    description: 'A host requests places in its budgets; sent by its workflow, through an activity',
    shape: placeRequest,
    onSignal(request) {
      budgets = ask(budgets, request);
      changes += 1;
    },
  });
  signal(placesReturned, {
    description: 'A host returns its places, or no longer waits for them; sent by its workflow',
    shape: list(filledText),
    onSignal(tickets) {
      budgets = tickets.reduce(giveBack, budgets);
      changes += 1;
    },
  });
  setHandler(budgetsView, () => budgets, { description: 'Who has places in which budgets and who waits, in order' });

  for (;;) {
    const before = changes;
    if (!isKnown && budgets.queue.length + budgets.holders.length > 0) await lookAtObjects();
    if (isKnown) {
      budgets = grant(budgets);
      const next = answers(budgets, TOLD_AT_ONCE);
      budgets = next.budgets;
      await Promise.all(next.told.map(answer));
      if (next.told.length > 0 && !isLong(HISTORY_LIMIT) && !isLookDue()) continue;
    }
    showDetails(joined([detailsOf(budgets), refusals.line], ''));
    if (isLong(HISTORY_LIMIT)) {
      await condition(allHandlersFinished);
      await continueAsNew<typeof budgetsWorkflow>({ budgets: tidied(budgets), isKnown, lookAgainMs, lookAt });
    }
    const isChanged = (): boolean => changes !== before || isLongWhileWaiting(HISTORY_LIMIT);
    if (budgets.queue.length === 0) {
      await condition(isChanged);
      lookAt = Date.now() + lookAgainMs;
    } else if (
      isLookDue() ||
      !(await condition(isChanged, lookAt - Date.now(), {
        summary: 'No place became free: check whether the holders still need theirs',
      }))
    )
      await lookAtHolders();
  }

  /** True when the holders are asked next, even if requests keep arriving: so places of lost runs become free. */
  function isLookDue(): boolean {
    return budgets.queue.length > 0 && Date.now() >= lookAt;
  }

  /** Gives their places to the hosts whose step has begun, although their runs have not asked this workflow yet. */
  async function lookAtObjects(): Promise<void> {
    const scope = new CancellationScope();
    const looking = scope.run(() => underway('List the hosts whose step has begun').hostsUnderway());
    if (await interruptedByLength(scope, looking)) return;
    const known = new Set([...budgets.holders, ...budgets.queue].map(({ holder }) => holder));
    for (const request of await looking) if (!known.has(request.holder)) budgets = ask(budgets, request);
    isKnown = true;
  }

  /** Asks the holders of places that other hosts wait for. A host that does not know its place returns it. */
  async function lookAtHolders(): Promise<void> {
    const holders = waitedFor(budgets).slice(0, LOOKED_AT_ONCE);
    for (let at = 0; at < holders.length; at += TOLD_AT_ONCE) {
      await Promise.all(
        holders.slice(at, at + TOLD_AT_ONCE).map(async (applicant) => {
          const isThere = await isTold(applicant, granted(applicant));
          // Read after the signal: other requests and returns have arrived meanwhile.
          budgets = lookedAt(budgets, applicant.ticket, isThere);
        }),
      );
    }
    budgets = atTheEnd(budgets, holders);
    lookAt = Date.now() + lookAgainMs;
  }

  async function answer({ applicant, waitsFor }: ToldApplicant): Promise<void> {
    const { ticket } = applicant;
    if (waitsFor !== undefined) {
      // A host that waits and has no run loses its position: when it asks again, it is at the end of the queue.
      if (!(await isTold(applicant, { kind: 'queued', ticket, waitsFor }))) budgets = giveBack(budgets, ticket);
      return;
    }
    const isThere = await isTold(applicant, granted(applicant));
    budgets = lookedAt(budgets, ticket, isThere);
  }
}

const isTold = ({ holder }: PlaceApplicant, message: PlaceAnswer): Promise<boolean> =>
  isSignalled(holder, placeAnswered, message);

const granted = ({ ticket }: PlaceApplicant): PlaceAnswer => ({ kind: 'granted', ticket });
