import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { MetricDefinition } from '../../domain/metrics/definitions.ts';

/** Label values by label, for each name. */
type Definitions = Readonly<Record<string, MetricDefinition>>;

export interface Measurement {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value?: number;
}

/** All measurements of this process since its start. */
export interface Metrics {
  /** Increments a counter (by 1 when there is no value), sets a gauge, or adds an observation to a histogram. */
  readonly record: (measurement: Measurement) => void;
  /** Called before each scrape, for values that are computed then. */
  onRead(prepare: () => void): void;
  /** In Prometheus' text format, with Node's own metrics of this process. */
  read(): Promise<string>;
}

export function createMetrics(definitions: Definitions): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const recorders = new Map(
    Object.entries(definitions).map(([name, each]) => [name, recorderOf(registry, name, each)]),
  );
  const preparations: (() => void)[] = [];
  return {
    record({ name, labels, value }) {
      const recorder = recorders.get(name);
      if (recorder === undefined) throw new Error(`there is no metric ${name}`);
      recorder(labels, value);
    },
    onRead: (prepare) => void preparations.push(prepare),
    read() {
      for (const prepare of preparations) prepare();
      return registry.metrics();
    },
  };
}

type Recorder = (labels: Readonly<Record<string, string>>, value: number | undefined) => void;

function recorderOf(
  registry: Registry,
  name: string,
  { type, help, labels: labelNames, buckets }: MetricDefinition,
): Recorder {
  const options = { name, help, labelNames: [...labelNames], registers: [registry] };
  switch (type) {
    case 'counter': {
      const counter = new Counter(options);
      return (labels, value) => counter.inc(labels, value);
    }
    case 'gauge': {
      const gauge = new Gauge(options);
      return (labels, value = 1) => gauge.set(labels, value);
    }
    case 'histogram': {
      const histogram = new Histogram({ ...options, ...(buckets && { buckets: [...buckets] }) });
      return (labels, value = 1) => histogram.observe(labels, value);
    }
  }
}
