import type { Obstacle } from '../../lock/answers.ts';
import { noRoomInWords } from '../../lock/words.ts';
import type { Answer } from '../../steering/answer.ts';
import type { Awaited } from '../../steering/awaited.ts';
import { inWords } from '../../steering/messages.ts';
import type { Wait } from '../waits.ts';

/** There is no room in the line, in which so many hosts wait. */
interface NoRoom {
  readonly waiting: number;
}

/**
 * `rejected`: the rejection on the object, which may be of another step. `obstacle`: why the host has no place in a
 * budget yet; 'unreadable': a budget can't be read; undefined: the host has not requested a place at the moment.
 */
export function heldStep(
  { for: kind, code, does, of, until, isClosedUntil }: Awaited,
  rejected: Answer | undefined,
  obstacle: Obstacle | NoRoom | 'unreadable' | undefined,
): Wait {
  const sources = of.join(', ');
  if (kind === 'window') {
    const isNever = until === undefined;
    const next = isNever ? 'which is never open' : openingWords(new Date(until), isClosedUntil === true);
    const words = `waiting for the window ${sources}, ${next}, to ${does}`;
    return { reason: isNever ? 'WindowNeverOpen' : 'WindowClosed', words, cause: `waiting for a window to ${does}` };
  }
  if (kind === 'budget') {
    const cause = whyNotYet(obstacle, sources);
    const reason = obstacle === 'unreadable' ? 'BudgetUnreadable' : 'BudgetExhausted';
    return { reason, words: `${cause}, to ${does}`, cause };
  }
  if (rejected?.code === code) {
    const changed = of.length === 0 ? 'it goes on without an approval' : 'an approval is asked for again';
    const words = `rejected ${inWords(rejected)}; it would ${does}. After a change of its spec, ${changed}; to allow this step, approve ${code}`;
    return { reason: 'Rejected', words, cause: `rejected, and waiting for another spec: ${does}` };
  }
  return {
    reason: 'ApprovalNeeded',
    words: `waiting for approval ${code} to ${does}, by somebody who may update baremetalhosts/approval; asked for by ${sources}`,
    cause: `waiting for approval to ${does}`,
  };
}

const openingWords = (at: Date, isClosedUntil: boolean): string =>
  isClosedUntil
    ? `which is not open before ${at.toISOString()}: then a later time is looked for`
    : `which opens at ${at.toISOString()}`;

function whyNotYet(obstacle: Obstacle | NoRoom | 'unreadable' | undefined, sources: string): string {
  if (obstacle === 'unreadable') return `waiting for a budget that can't be read, ${sources}`;
  if (obstacle === undefined) return `its turn in a budget is not requested at the moment, ${sources}`;
  return 'waiting' in obstacle
    ? `waiting for its turn in a budget, ${sources}: ${noRoomInWords(obstacle.waiting)}`
    : turnWords(obstacle);
}

/** In words: the budget that the host waits for, the hosts that have its places, and what ends the wait. */
function turnWords({ budget, limit, held, holders, ahead }: Obstacle): string {
  const first = holders.map((id) => id.slice(id.indexOf('/') + 1)).join(', ');
  const rest = held > holders.length ? ` and ${held - holders.length} more` : '';
  const now = held === 0 ? '' : `, now ${first}${rest}`;
  const line = ahead === 0 ? 'it is next' : `${ahead} wait before it`;
  return `waiting for its turn in the budget ${budget}: at most ${limit} at a time${now}; ${line}, and goes on when ${held < limit ? 'the hosts before it have had their turn' : 'one of them ends its step'}`;
}
