import { BeyondBound, counter } from '../bounds/beyond-bound.ts';
import { BOUNDS } from '../bounds/bounds.ts';
import type { Content, ContentMap } from './content.ts';

/**
 * Content whose lists are made while they are counted, because a small template and a small pool can ask for more than
 * fits into memory.
 */
export type Draft = string | number | boolean | null | Iterable<Draft> | DraftMap;
export interface DraftMap {
  readonly [key: string]: Draft;
}

/** Makes the content; throws `BeyondBound` when it becomes too large. */
export function madeOf(draft: DraftMap): ContentMap {
  const bound = BOUNDS.renderedData;
  const count = counter(bound);
  const valueOf = (value: Draft, depth: number): Content => {
    count(value);
    if (typeof value !== 'object' || value === null) return value;
    if (depth > bound.depth) throw new BeyondBound(bound, 'depth');
    return isList(value) ? Array.from(value, (item) => valueOf(item, depth + 1)) : mapOf(value, depth + 1);
  };
  const mapOf = (map: DraftMap, depth: number): ContentMap =>
    Object.fromEntries(
      Object.entries(map).map(([key, value]) => {
        count(key);
        return [key, valueOf(value, depth)];
      }),
    );
  return mapOf(draft, 1);
}

const isList = (value: Iterable<Draft> | DraftMap): value is Iterable<Draft> => Symbol.iterator in value;
