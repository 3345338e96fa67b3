import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import type { TraceSinks } from '../../domain/trace/trace-parent.ts';
import type { TracingConfig } from '../config/tracing-settings.ts';
import type { Log } from '../log.ts';

/** How a process takes part in traces. */
export interface Tracing {
  readonly client: readonly WorkflowClientInterceptor[];
  readonly activity: readonly ActivityInterceptorsFactory[];
  readonly sinks: InjectedSinks<TraceSinks>;
  /** Sends the spans that have ended. */
  close(): Promise<void>;
}

/** Without tracing, workers ignore the spans of runs, which a bridge with tracing may have begun. */
export const NO_TRACING: Tracing = {
  client: [],
  activity: [],
  sinks: { traces: { ended: { fn: () => undefined } } },
  close: async () => undefined,
};

/** Loads OpenTelemetry only when there is a collector. `service`: the name in traces, unless another is configured. */
export async function openTracing(config: TracingConfig, service: string, log: Log): Promise<Tracing> {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return NO_TRACING;
  const { startTracing } = await import('./start-tracing.ts');
  return startTracing(config.OTEL_SERVICE_NAME ?? service, log);
}
