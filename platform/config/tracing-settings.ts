import { z } from 'zod';
import { optionalText } from './config-values.ts';

/** OpenTelemetry's ratios, and the ways to use them, by its names. */
const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;

/**
 * The settings of traces that are checked at the start. OpenTelemetry's SDK reads them from the environment itself, and
 * all others of the exporter (`OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_BSP_SCHEDULE_DELAY`).
 */
export const tracingSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'URL of an OpenTelemetry collector, for example http://collector:4318: sends traces there, see [traces.md](operations/traces.md); empty: no traces',
    ),
  OTEL_SERVICE_NAME: optionalText('name in traces; default: `temper-bridge` or `temper-workers`'),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS)
    .optional()
    .describe('which traces are recorded; default: as the sender of the request says, and all that begin here'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('share of the traces that a sampler with `traceidratio` records'),
} as const;

const shape = z.object(tracingSettings);
export type TracingConfig = z.infer<typeof shape>;
