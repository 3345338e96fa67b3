/**
 * How long something took, many times over: how many durations fell into each bucket. The bounds of the buckets grow by
 * the same factor, from a second to some days, so that a sketch has at most `MOST_BUCKETS` numbers.
 */
export type Sketch = Readonly<Record<string, number>>;

export interface SketchSummary {
  readonly count: number;
  /** 95 of 100 durations were at most this long; ms. */
  readonly p95Ms: number;
  /**
   * A longer duration is an outlier: its logarithm is many standard deviations above the mean of the logarithms; ms.
   */
  readonly farMs: number;
}

/** Two buckets for each doubling. */
const PER_DOUBLING = 2;
const FIRST_MS = 1_000;
const MOST_BUCKETS = 40;
/** At this total all counts are halved, so that recent durations count more. */
const MOST_DURATIONS = 256;
const DEVIATIONS = 5;
/**
 * The real deviation may be twice the measured one when there are few durations. With many, the measured one is used.
 */
const UNSURE = 2;

/** Upper bound of a bucket; ms. */
const boundOf = (bucket: number): number => FIRST_MS * 2 ** (bucket / PER_DOUBLING);

const bucketOf = (ms: number): number =>
  Math.min(MOST_BUCKETS - 1, Math.max(0, Math.ceil(PER_DOUBLING * Math.log2(ms / FIRST_MS))));

export const isBucket = (key: string): boolean => /^\d{1,2}$/.test(key) && Number(key) < MOST_BUCKETS;

export function withDuration(sketch: Sketch, ms: number): Sketch {
  const bucket = String(bucketOf(ms));
  const more = { ...sketch, [bucket]: (sketch[bucket] ?? 0) + 1 };
  return countOf(more) > MOST_DURATIONS ? halved(more) : more;
}

/** A bucket with a single duration becomes empty. */
const halved = (sketch: Sketch): Sketch =>
  Object.fromEntries(
    Object.entries(sketch)
      .map(([bucket, count]) => [bucket, Math.floor(count / 2)] as const)
      .filter(([, count]) => count > 0),
  );

const countOf = (sketch: Sketch): number => Object.values(sketch).reduce((sum, count) => sum + count, 0);

export function summaryOf(sketch: Sketch): SketchSummary {
  const count = countOf(sketch);
  const buckets = Object.entries(sketch)
    .map(([bucket, times]) => ({ bucket: Number(bucket), times }))
    .toSorted((a, b) => a.bucket - b.bucket);
  let below = 0;
  const p95 = buckets.find(({ times }) => (below += times) >= 0.95 * count)?.bucket ?? 0;
  const sumOf = (of: (bucket: number) => number): number =>
    buckets.reduce((sum, { bucket, times }) => sum + times * of(bucket), 0);
  const mean = sumOf((bucket) => bucket) / Math.max(1, count);
  const deviation = Math.sqrt(sumOf((bucket) => (bucket - mean) ** 2) / Math.max(1, count));
  const deviations = DEVIATIONS * (1 + UNSURE / Math.sqrt(Math.max(1, count)));
  return { count, p95Ms: boundOf(p95), farMs: boundOf(mean + deviations * deviation) };
}
