import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { MetricDefinition } from '../../domain/metrics/definitions.ts';
import { addHistogram } from './histogram.ts';

/** Label values by label, for each name. */
type Definitions = Readonly<Record<string, MetricDefinition>>;
type Labels = Readonly<Record<string, string>>;

export interface Measurement {
  readonly name: string;
  readonly labels: Labels;
  readonly value?: number;
}

/** An object with series of its own, as the labels of metrics name it. */
export interface MeasuredObject {
  readonly namespace: string;
  readonly host: string;
}

/** All measurements of this process since its start. */
export interface Metrics {
  /** Increments a counter (by 1 when there is no value), sets a gauge, or adds an observation to a histogram. */
  readonly record: (measurement: Measurement) => void;
  /**
   * Called before each scrape, for values that are computed then. Replaces an earlier one of this name: a process may
   * hold the Lease several times.
   */
  onRead(name: string, prepare: () => void): void;
  /** In Prometheus' text format, with Node's own metrics of this process. */
  read(): Promise<string>;
  /** Drops one series: nothing is known of it any more. */
  drop(series: Omit<Measurement, 'value'>): void;
  /** Drops the object's series from all metrics. */
  forget(object: MeasuredObject): void;
  /** The objects with series of their own. */
  readonly measured: Iterable<MeasuredObject>;
  /** The number of these objects. */
  readonly measuredCount: number;
}

/**
 * Node measures the lag of its event loop by a timer: at the library's 10 ms it would wake an idle process 100 times a
 * second.
 */
const EVENT_LOOP_SAMPLE_MS = 250;

export function createMetrics(definitions: Definitions): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: EVENT_LOOP_SAMPLE_MS });
  const recorders = new Map(
    Object.entries(definitions).map(([name, each]) => [name, recorderOf(registry, name, each)]),
  );
  const preparations = new Map<string, () => void>();
  /** The label values with which an object was measured, each once, by the object. */
  const measured = new Map<string, { readonly object: MeasuredObject; readonly series: Map<string, Labels> }>();
  return {
    record({ name, labels, value }) {
      const recorder = recorders.get(name);
      if (recorder === undefined) throw new Error(`there is no metric ${name}`);
      recorder.record(labels, value);
      const { namespace, host } = labels;
      if (namespace === undefined || host === undefined) return;
      const object = { namespace, host };
      const found = measured.get(keyOf(object)) ?? { object, series: new Map<string, Labels>() };
      found.series.set(JSON.stringify(labels), labels);
      measured.set(keyOf(object), found);
    },
    onRead: (name, prepare) => void preparations.set(name, prepare),
    read() {
      for (const prepare of preparations.values()) prepare();
      return registry.metrics();
    },
    drop: ({ name, labels }) => recorders.get(name)?.remove(labels),
    forget(object) {
      for (const labels of measured.get(keyOf(object))?.series.values() ?? []) {
        for (const { labelNames, remove } of recorders.values()) {
          const names = Object.keys(labels);
          if (names.length === labelNames.length && names.every((name) => labelNames.includes(name))) remove(labels);
        }
      }
      measured.delete(keyOf(object));
    },
    get measured() {
      return [...measured.values()].map(({ object }) => object);
    },
    get measuredCount() {
      return measured.size;
    },
  };
}

const keyOf = ({ namespace, host }: MeasuredObject): string => `${namespace}/${host}`;

interface Recorder {
  readonly labelNames: readonly string[];
  readonly record: (labels: Labels, value: number | undefined) => void;
  readonly remove: (labels: Labels) => void;
}

function recorderOf(registry: Registry, name: string, definition: MetricDefinition): Recorder {
  const { help, labels: labelNames } = definition;
  const options = { name, help, labelNames: [...labelNames], registers: [registry] };
  switch (definition.type) {
    case 'counter': {
      const counter = new Counter(options);
      const record: Recorder['record'] = (labels, value) => counter.inc(labels, value);
      return { labelNames, record, remove: (labels) => counter.remove(labels) };
    }
    case 'gauge': {
      const gauge = new Gauge(options);
      const record: Recorder['record'] = (labels, value = 1) => gauge.set(labels, value);
      return { labelNames, record, remove: (labels) => gauge.remove(labels) };
    }
    case 'histogram': {
      const histogram = addHistogram(registry, { name, help, labelNames, buckets: definition.buckets });
      const record: Recorder['record'] = (labels, value = 1) => histogram.observe(labels, value);
      return { labelNames, record, remove: (labels) => histogram.remove(labels) };
    }
  }
}
