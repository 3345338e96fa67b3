import type { Capacity } from './capacity.ts';

/** A paragraph for the head of the run: who has a slot, and who is next. */
export function detailsOf({ limit, holders, queue }: Capacity): string {
  const lines = [
    `${holders.length} of ${limit} slots taken, ${queue.length} waiting`,
    ...holders.map(({ holder }) => `- ${holder}`),
    ...(queue.length === 0 ? [] : ['', 'Next in line:']),
    ...queue.slice(0, SHOWN).map(({ holder }) => `1. ${holder}`),
    ...(queue.length > SHOWN ? [`… and ${queue.length - SHOWN} more`] : []),
  ];
  return lines.join('\n');
}

const SHOWN = 20;
