import type { Bound, Counted } from './bounds.ts';

/** An input is larger than its bound allows. The message names the bound, never the content. */
export class BeyondBound extends Error {
  override readonly name = 'BeyondBound';

  constructor(bound: Bound, counted: Counted) {
    super(`beyond the bound of ${bound.input}: more than ${bound[counted] ?? 0} ${WORDS[counted]}`);
  }
}

const WORDS: Readonly<Record<Counted, string>> = {
  characters: 'characters',
  values: 'values',
  depth: 'levels',
};

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
