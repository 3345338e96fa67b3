import { BeyondBound } from './beyond-bound.ts';
import type { Bound } from './bounds.ts';

/** Counts the texts and other values of one input, with their characters; throws `BeyondBound`. */
export function counter(bound: Bound & Required<Pick<Bound, 'values'>>): (value: unknown) => void {
  let [characters, values] = [0, 0];
  return (value) => {
    if (typeof value === 'string') characters += value.length;
    values += 1;
    if (characters > bound.characters) throw new BeyondBound(bound, 'characters');
    if (values > bound.values) throw new BeyondBound(bound, 'values');
  };
}
