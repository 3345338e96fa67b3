import type { Capacity } from './capacity.ts';

/** A paragraph for the Web UI: which hosts have a slot and which one is next. */
export function detailsOf({ limit, holders, queue }: Capacity): string {
  const lines = [
    `${holders.length} of ${limit} slots in use, ${queue.length} hosts waiting`,
    ...holders.map(({ holder }) => `- ${holder}`),
    ...(queue.length === 0 ? [] : ['', 'Next in line:']),
    ...queue.slice(0, SHOWN).map(({ holder }) => `1. ${holder}`),
    ...(queue.length > SHOWN ? [`… and ${queue.length - SHOWN} more`] : []),
  ];
  return lines.join('\n');
}

const SHOWN = 20;
