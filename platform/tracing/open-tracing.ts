import type { TracingConfig } from '../config/tracing-settings.ts';
import type { Log } from '../log.ts';
import { NO_TRACING, type Tracing } from './tracing.ts';

/** Loads OpenTelemetry only when there is a collector. `service`: the name in traces, unless another is configured. */
export async function openTracing(config: TracingConfig, service: string, log: Log): Promise<Tracing> {
  if (config.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return NO_TRACING;
  const { startTracing } = await import('./start-tracing.ts');
  return startTracing(config.OTEL_SERVICE_NAME ?? service, log);
}
