import { joined, type Markdown, markdown } from '../entity/markdown.ts';
import type { Applicant, Lock, Need } from './lock.ts';

const SHOWN = 20;
/** Budgets of one host in the details. */
const SHOWN_BUDGETS = 3;
/** Hosts of each kind in the answer to a query. */
const IN_VIEW = 100;

/** `at most 2 of erase in Namespace metal`. */
export const needsInWords = (needs: readonly Need[]): string =>
  needs.map(({ budget, limit }) => `at most ${limit} of ${budget}`).join('; ');

/** Why a host is not in the line, and what it does. */
export const noRoomInWords = (waiting: number): string =>
  `${waiting} hosts wait already, and there is no room for more; it asks again every ten minutes`;

/** The current details of the run: the hosts that have places, with their budgets, and the first hosts that wait. */
export function detailsOf({ names, holders, queue }: Lock): Markdown {
  const line = ({ holder, needs }: Applicant): string => {
    const budgets = needs
      .slice(0, SHOWN_BUDGETS)
      .map(([index, limit]) => `at most ${limit} of ${names[index]?.name ?? ''}`);
    const more = needs.length > SHOWN_BUDGETS ? `; and ${needs.length - SHOWN_BUDGETS} more` : '';
    return `${holder}: ${budgets.join('; ')}${more}`;
  };
  return joined([
    markdown`${holders.length} hosts have their places, ${queue.length} hosts wait`,
    ...holders.slice(0, SHOWN).map((entry) => markdown`- ${line(entry)}`),
    ...more(holders.length),
    ...(queue.length === 0 ? [] : [markdown`\nNext in line:`]),
    ...queue.slice(0, SHOWN).map((entry) => markdown`1. ${line(entry)}`),
    ...more(queue.length),
  ]);
}

const more = (count: number): readonly Markdown[] => (count > SHOWN ? [markdown`… and ${count - SHOWN} more`] : []);

/** The answer to the query for people: how many have places and wait, and the first of them. */
export interface LockView {
  readonly held: number;
  readonly waiting: number;
  readonly holders: readonly ShownApplicant[];
  readonly queue: readonly ShownApplicant[];
}

type ShownApplicant = Pick<Applicant, 'holder' | 'ticket'>;
const shown = ({ holder, ticket }: Applicant): ShownApplicant => ({ holder, ticket });

export const viewOf = ({ holders, queue }: Lock): LockView => ({
  held: holders.length,
  waiting: queue.length,
  holders: holders.slice(0, IN_VIEW).map(shown),
  queue: queue.slice(0, IN_VIEW).map(shown),
});
