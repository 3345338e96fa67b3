import type { Metric, Registry } from 'prom-client';

type Labels = Readonly<Record<string, string>>;

export interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Upper bounds, ascending. */
  readonly buckets: readonly number[];
}

export interface SmallHistogram {
  observe(labels: Labels, value: number): void;
  remove(labels: Labels): void;
}

interface Series {
  readonly labels: Labels;
  /** Observations by bucket; the last number counts those above all bounds. */
  readonly counts: number[];
  sum: number;
}

/**
 * Adds a histogram that keeps the numbers of a series in a list. The library's own histogram keeps them in an object by
 * upper bound, and V8 makes such an object as long as its largest bound: 17 kB for the duration of an operation, and
 * every host has three.
 */
export function addHistogram(
  registry: Registry,
  { name, help, labelNames, buckets }: HistogramOptions,
): SmallHistogram {
  const series = new Map<string, Series>();
  const keyOf = (labels: Labels): string => JSON.stringify(labelNames.map((label) => labels[label]));
  const seriesOf = (labels: Labels): Series => {
    const found = series.get(keyOf(labels));
    if (found !== undefined) return found;
    const made = { labels, counts: Array.from({ length: buckets.length + 1 }, () => 0), sum: 0 };
    series.set(keyOf(labels), made);
    return made;
  };
  const linesOf = ({ labels: sharedLabels, counts, sum }: Series): readonly object[] => {
    let count = 0;
    const upTo = counts.map((many, at) => {
      count += many;
      return { metricName: `${name}_bucket`, labels: { le: buckets[at] ?? '+Inf' }, sharedLabels, value: count };
    });
    return [
      ...upTo,
      { metricName: `${name}_sum`, sharedLabels, value: sum },
      { metricName: `${name}_count`, sharedLabels, value: count },
    ];
  };
  // A series without labels exists from the start.
  if (labelNames.length === 0) seriesOf({});
  const metric = {
    name,
    help,
    type: 'histogram',
    get: () => Promise.resolve({ name, help, type: 'histogram', values: [...series.values()].flatMap(linesOf) }),
  };
  // The library's type names its own classes. Its registry needs no more than this.
  registry.registerMetric(metric as unknown as Metric);
  return {
    observe(labels, value) {
      const found = seriesOf(labels);
      const at = buckets.findIndex((bound) => value <= bound);
      const bucket = at === -1 ? buckets.length : at;
      found.counts[bucket] = (found.counts[bucket] ?? 0) + 1;
      found.sum += value;
    },
    remove: (labels) => void series.delete(keyOf(labels)),
  };
}
