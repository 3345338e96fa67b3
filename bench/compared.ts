import { type Spread, spread } from './spread.ts';

/** The figures of a life by name, in the order of the report. */
export type Figures = ReadonlyMap<string, number>;

export interface Figure {
  readonly name: string;
  readonly here: number;
  readonly other?: number;
  /** This checkout divided by the other, within the same round. */
  readonly ratio?: Spread;
}

/** Medians of each figure over the rounds, and the ratios within the rounds. */
export function compared(here: readonly Figures[], other: readonly Figures[]): readonly Figure[] {
  const [first] = here;
  return [...(first?.keys() ?? [])].map((name) => {
    const values = (side: readonly Figures[]): readonly number[] =>
      side.map((figures) => figures.get(name) ?? Number.NaN);
    const [a, b] = [values(here), values(other)];
    const median = { name, here: spread(a).median };
    if (b.length === 0) return median;
    const ratios = a.slice(0, b.length).map((value, round) => value / (b[round] ?? Number.NaN));
    return { ...median, other: spread(b).median, ratio: spread(ratios) };
  });
}
