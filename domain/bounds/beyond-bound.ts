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
