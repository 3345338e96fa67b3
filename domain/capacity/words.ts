import { joined, type Markdown, markdown } from '../entity/markdown.ts';
import type { Capacity } from './capacity.ts';

/** A paragraph for the Web UI: which hosts have a slot and which one is next. */
export function detailsOf({ limit, holders, queue }: Capacity): Markdown {
  return joined([
    markdown`${holders.length} of ${limit} slots in use, ${queue.length} hosts waiting`,
    ...holders.map(({ holder }) => markdown`- ${holder}`),
    ...(queue.length === 0 ? [] : [markdown`\nNext in line:`]),
    ...queue.slice(0, SHOWN).map(({ holder }) => markdown`1. ${holder}`),
    ...(queue.length > SHOWN ? [markdown`… and ${queue.length - SHOWN} more`] : []),
  ]);
}

const SHOWN = 20;
