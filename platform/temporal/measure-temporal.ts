import type { Metrics } from '../metrics/registry.ts';

interface MeasuredTemporal {
  readonly answers: (doesAnswer: boolean) => void;
  /** This process does not need Temporal any more. */
  readonly forget: () => void;
}

/** Shows as `temper_temporal_up` whether Temporal answers this process; it does not until it has. */
export function measureTemporal(metrics: Pick<Metrics, 'record' | 'drop'>, address: string): MeasuredTemporal {
  const series = { name: 'temper_temporal_up', labels: { address } };
  const answers = (doesAnswer: boolean): void => metrics.record({ ...series, value: doesAnswer ? 1 : 0 });
  answers(false);
  return { answers, forget: () => metrics.drop(series) };
}
