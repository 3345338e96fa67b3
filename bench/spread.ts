/** A figure's median, minimum and maximum over the rounds. */
export interface Spread {
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

export const spread = (values: readonly number[]): Spread => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return { min: at(0), median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2, max: at(sorted.length - 1) };
};

export const spreadText = ({ min, median, max }: Spread, digits = 1): string =>
  [min, median, max].map((value) => value.toFixed(digits)).join(' / ');

export const seconds = (milliseconds: number): number => Math.round(milliseconds) / 1000;
