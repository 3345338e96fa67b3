import { execa } from 'execa';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { readConfig, workersConfig } from '../config/config.ts';
import { NO_TRACING, openTracing } from './tracing.ts';

const config = (env: Readonly<Record<string, string>>) => readConfig(workersConfig, { PROVISIONER: 'fixture', ...env });

/** In a process of its own, because modules stay loaded. prom-client loads OpenTelemetry's API, which does nothing. */
const SCRIPT = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
  await import('./platform/process.ts');
  const { openTracing } = await import('./platform/tracing/tracing.ts');
  await openTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: process.argv[1] || undefined }, 'service', { info() {} });
  const ofOpenTelemetry = loaded.filter((url) => /@opentelemetry\\/(?!api\\/)|start-tracing/.test(url));
  console.log(ofOpenTelemetry.length > 0);
  process.exit();
`;
const loads = async (endpoint: string): Promise<string> =>
  (await execa(process.execPath, ['--input-type=module', '-e', SCRIPT, endpoint])).stdout;

describe('without a collector', () => {
  test('there are no interceptors', async () => {
    const tracing = await openTracing(config({}), 'service', pino({ level: 'silent' }));
    expect(tracing).toBe(NO_TRACING);
    expect([tracing.client, tracing.activity]).toEqual([[], []]);
  });

  test('nothing of OpenTelemetry’s SDK is loaded, as it is with one', async () => {
    expect(await Promise.all([loads(''), loads('http://127.0.0.1:9')])).toEqual(['false', 'true']);
  });
});

describe('the settings of traces', () => {
  test.each([
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4317'],
    ['OTEL_TRACES_SAMPLER', 'sometimes'],
    ['OTEL_TRACES_SAMPLER_ARG', '2'],
  ])('%s cannot be %s', (name, value) => {
    expect(() => config({ [name]: value })).toThrow(name);
  });

  test('may be those of OpenTelemetry', () => {
    expect(
      config({
        OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
        OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
        OTEL_TRACES_SAMPLER_ARG: '0.1',
      }),
    ).toMatchObject({ OTEL_TRACES_SAMPLER_ARG: 0.1 });
  });
});
