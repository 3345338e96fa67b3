import { allHandlersFinished, CancellationScope, condition, continueAsNew, setHandler } from '@temporalio/workflow';
import { joined } from '../../domain/entity/markdown.ts';
import { answers, type Told } from '../../domain/lock/answers.ts';
import { type PackedLock, packed, unpacked } from '../../domain/lock/bound.ts';
import { grant, hasFreePlace, mayGrant } from '../../domain/lock/grant.ts';
import { atTheEnd, lookedAt, waitedFor } from '../../domain/lock/holders.ts';
import { unused } from '../../domain/lock/lock.ts';
import { isShort } from '../../domain/lock/marks.ts';
import { placeRequest, returnedTickets } from '../../domain/lock/message-shapes.ts';
import { namesToLearn, shortOf, withNames } from '../../domain/lock/names.ts';
import type { LockName, LockPolicy } from '../../domain/lock/policy.ts';
import { ask, giveBack, isKnown as isKnownIn } from '../../domain/lock/requests.ts';
import { detailsOf, viewOf } from '../../domain/lock/words.ts';
import { checkedSignals } from '../life/checked-messages.ts';
import { interruptedByLength, isLong } from '../life/history.ts';
import { createRefusals } from '../life/refusals.ts';
import { showDetails } from '../life/show-details.ts';
import { isSignalled } from '../life/signal-run.ts';
import { placeAnswered } from '../messages.ts';
import { listing, objects } from '../proxies.ts';
import { lockView, placeRequested, placesReturned } from './messages.ts';

/** Events after which a run is continued as new. */
const HISTORY_LIMIT = 1_000;
/** Hosts that are signalled at the same time; a thousand at once would delay Temporal. */
const TOLD_AT_ONCE = 20;
/** While hosts wait: pause before Ironic's nodes are listed again when it was busy with nodes without a place. */
const LIST_AGAIN = '15 seconds';
/** While hosts wait: interval at which the holders are asked whether they still need their places. */
const LOOK_AGAIN_MS = 60_000;
/** Holders of one look; the next look begins with the others. */
const LOOKED_AT_ONCE = 200;

export interface LockStart {
  readonly name: LockName;
  readonly policy: LockPolicy;
  /** The places and the line of the previous run. */
  readonly lock?: PackedLock;
  /** The hosts whose step has begun have been read from their objects since the first run began. */
  readonly isKnown?: boolean;
  /** Milliseconds between two looks at the holders. */
  readonly lookAgainMs?: number;
  /** When the holders are asked next, while hosts wait; ms since the epoch. */
  readonly lookAt?: number;
}

/**
 * Gives hosts their places, of which there is a bounded number: slots in Ironic, or places in budgets. One run for each
 * lock; all of Temper's hosts ask it, so no two hosts are counted at the same time. Ignores cancel requests; when
 * terminated, the next request starts it again.
 */
export const lockWorkflow = (start: LockStart): Promise<void> => CancellationScope.nonCancellable(() => serve(start));

async function serve(start: LockStart): Promise<void> {
  const { name, policy, lookAgainMs = LOOK_AGAIN_MS } = start;
  let lock = start.lock === undefined ? unused(policy) : unpacked(start.lock);
  let isKnown = start.isKnown ?? policy.reads !== 'begun steps';
  /** A request does not postpone this time: with many hosts, requests arrive all the time. */
  let lookAt = start.lookAt ?? Date.now() + lookAgainMs;
  /**
   * Tickets that are returned. They are processed before a list of nodes, never during one: a node that the list shows
   * as idle must not have been started since.
   */
  let returned: readonly string[] = [];
  let changes = 0;

  const refusals = createRefusals(
    () => showDetails(joined([detailsOf(lock), refusals.line], '')),
    () => undefined,
  );
  const signal = checkedSignals(refusals);
  signal(placeRequested, {
    description: 'A host requests places; sent by its workflow',
    shape: placeRequest,
    onSignal(request) {
      lock = ask(lock, request);
      changes += 1;
    },
  });
  signal(placesReturned, {
    description: 'A host returns its places, or no longer waits for them; sent by its workflow',
    shape: returnedTickets,
    onSignal(tickets) {
      returned = [...returned, ...tickets];
      changes += 1;
    },
  });
  setHandler(lockView, () => viewOf(lock), {
    description: 'How many hosts have places and how many wait, and the first of them, in order',
  });

  for (;;) {
    const before = changes;
    takeReturned();
    if (!isKnown && lock.queue.length + lock.holders.length > 0) await readBegunSteps();
    if (isKnown) await give();
    // Requests that arrived meanwhile are decided before others learn what they wait for.
    if (changes !== before && !isLong(HISTORY_LIMIT) && !isLookDue()) continue;
    if (isKnown) await tellAll(() => changes !== before);
    if (changes !== before && !isLong(HISTORY_LIMIT) && !isLookDue()) continue;
    showDetails(joined([detailsOf(lock), refusals.line], ''));
    if (isLong(HISTORY_LIMIT)) {
      await condition(allHandlersFinished);
      takeReturned();
      await continueAsNew<typeof lockWorkflow>({ name, policy, lock: packed(lock), isKnown, lookAgainMs, lookAt });
    }
    await untilNews(() => changes !== before || isLong(HISTORY_LIMIT));
  }

  function takeReturned(): void {
    lock = returned.reduce(giveBack, lock);
    returned = [];
  }

  /** Gives free places, and tells the hosts that get one. */
  async function give(): Promise<void> {
    if (policy.reads !== 'busy nodes') lock = grant(lock);
    else if (mayGrant(lock)) {
      const busy = await lookAtIronic();
      if (busy !== undefined) lock = grant(lock, busy.nodeIds);
    }
    let goesOn = true;
    while (goesOn && !isLong(HISTORY_LIMIT) && lock.holders.some(({ unanswered }) => unanswered))
      goesOn = await tellNext();
  }

  /** Tells all other hosts what they wait for, unless a message arrives. */
  async function tellAll(isChanged: () => boolean): Promise<void> {
    let goesOn = true;
    while (goesOn && !isLong(HISTORY_LIMIT) && !isLookDue() && !isChanged()) goesOn = await tellNext();
  }

  /** False: nobody is left to be told, or the run must end because of many messages. */
  async function tellNext(): Promise<boolean> {
    const { lock: next, told } = answers(lock, TOLD_AT_ONCE);
    if (told.some(({ holder }) => isShort(holder))) return learn(namesToLearn(lock));
    lock = next;
    await Promise.all(told.map(tell));
    return told.length > 0;
  }

  async function tell({ holder, news }: Told): Promise<void> {
    const { ticket } = news;
    const isThere = await isSignalled(holder, placeAnswered, { ...news, lock: name });
    if (!isThere) changes += 1;
    // Read after the signal: other requests and returns have arrived meanwhile.
    if (news.kind === 'granted') lock = lookedAt(lock, ticket, isThere);
    // A host that waits and has no run loses its position: when it asks again, it is at the end of the line.
    else if (!isThere) lock = giveBack(lock, ticket);
  }

  /** Waits for a message, or until it is time to look at Ironic or at the holders again. */
  async function untilNews(isChanged: () => boolean): Promise<void> {
    if (lock.queue.length === 0) {
      await condition(isChanged);
      lookAt = Date.now() + lookAgainMs;
    } else if (policy.reads === 'busy nodes' && hasFreePlace(lock)) {
      await condition(isChanged, LIST_AGAIN, { summary: 'Ironic is busy with other nodes: wait before the next list' });
    } else if (
      isLookDue() ||
      !(await condition(isChanged, lookAt - Date.now(), {
        summary: 'No place became free: check whether the holders still need theirs',
      }))
    )
      await lookAtHolders();
  }

  /** undefined: the run must end because of many messages, and Ironic has not answered yet. */
  async function lookAtIronic(): Promise<{ readonly nodeIds: readonly string[] } | undefined> {
    return unlessTooLong(() => listing('List the nodes that Ironic is working on').busyNodes());
  }

  /** Gives their places to the hosts whose step has begun, although their runs have not asked this run yet. */
  async function readBegunSteps(): Promise<void> {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const from: string = after;
      const page = await unlessTooLong(() =>
        objects('List the hosts whose step has begun').hostsUnderway({ after: from }),
      );
      if (page === undefined) return;
      for (const request of page.requests) {
        if (!isKnownIn(lock, request.holder)) lock = ask(lock, request);
      }
      after = page.next;
    }
    isKnown = true;
  }

  /** Learns the names of hosts, of which the run has only what stands for them. False: the run must end. */
  async function learn(shortNames: readonly string[]): Promise<boolean> {
    const found = await unlessTooLong(() => objects('Look up the names of waiting hosts').namesOfHosts({ shortNames }));
    if (found !== undefined) lock = withNames(lock, shortNames, found.ids);
    return found !== undefined;
  }

  async function unlessTooLong<Answer>(asking: () => Promise<Answer>): Promise<Answer | undefined> {
    const scope = new CancellationScope();
    const answer = scope.run(asking);
    return (await interruptedByLength(scope, answer)) ? undefined : answer;
  }

  /** Asks the holders of places that other hosts wait for. A host that does not know its place returns it. */
  async function lookAtHolders(): Promise<void> {
    const short = shortOf(waitedFor(lock).slice(0, LOOKED_AT_ONCE));
    if (short.length > 0 && !(await learn(short))) return;
    const holders = waitedFor(lock).slice(0, LOOKED_AT_ONCE);
    for (let at = 0; at < holders.length; at += TOLD_AT_ONCE) {
      const some = holders.slice(at, at + TOLD_AT_ONCE);
      await Promise.all(some.map(({ holder, ticket }) => tell({ holder, news: { kind: 'granted', ticket } })));
    }
    lock = atTheEnd(lock, holders);
    lookAt = Date.now() + lookAgainMs;
  }

  /** True when the holders are asked next, even if requests keep arriving: so places of lost runs become free. */
  function isLookDue(): boolean {
    return lock.queue.length > 0 && Date.now() >= lookAt;
  }
}
