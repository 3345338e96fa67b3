import type { Budgets, Need } from './budgets.ts';

const SHOWN = 20;

/** `at most 2 of erase in Namespace metal`. */
export const needsInWords = (needs: readonly Need[]): string =>
  needs.map(({ budget, limit }) => `at most ${limit} of ${budget}`).join('; ');

/** The current details of the run: the hosts that have places, with their budgets, and the first hosts that wait. */
export function detailsOf({ names, holders, queue }: Budgets): string {
  const budgetsOf = (needs: Budgets['queue'][number]['needs']): string =>
    needs.map(([index]) => names[index] ?? '').join('; ');
  return [
    `${holders.length} hosts have their places in budgets, ${queue.length} hosts wait`,
    ...holders.slice(0, SHOWN).map(({ holder, needs }) => `- ${holder}: ${budgetsOf(needs)}`),
    ...more(holders.length),
    ...(queue.length === 0 ? [] : ['', 'Next in line:']),
    ...queue.slice(0, SHOWN).map(({ holder, needs }) => `1. ${holder}: ${budgetsOf(needs)}`),
    ...more(queue.length),
  ].join('\n');
}

const more = (count: number): readonly string[] => (count > SHOWN ? [`… and ${count - SHOWN} more`] : []);
