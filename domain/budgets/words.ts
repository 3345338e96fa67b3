import { joined, type Markdown, markdown } from '../entity/markdown.ts';
import type { Budgets, Need } from './budgets.ts';

const SHOWN = 20;

/** `at most 2 of erase in Namespace metal`. */
export const needsInWords = (needs: readonly Need[]): string =>
  needs.map(({ budget, limit }) => `at most ${limit} of ${budget}`).join('; ');

/** The current details of the run: the hosts that have places, with their budgets, and the first hosts that wait. */
export function detailsOf({ names, holders, queue }: Budgets): Markdown {
  const budgetsOf = (needs: Budgets['queue'][number]['needs']): string =>
    needs.map(([index]) => names[index] ?? '').join('; ');
  return joined([
    markdown`${holders.length} hosts have their places in budgets, ${queue.length} hosts wait`,
    ...holders.slice(0, SHOWN).map(({ holder, needs }) => markdown`- ${holder}: ${budgetsOf(needs)}`),
    ...more(holders.length),
    ...(queue.length === 0 ? [] : [markdown`\nNext in line:`]),
    ...queue.slice(0, SHOWN).map(({ holder, needs }) => markdown`1. ${holder}: ${budgetsOf(needs)}`),
    ...more(queue.length),
  ]);
}

const more = (count: number): readonly Markdown[] => (count > SHOWN ? [markdown`… and ${count - SHOWN} more`] : []);
