import type { z } from 'zod';
import { messageOf } from '../domain/message-of.ts';
import { buildInfoIn } from './build-info.ts';
import { type BridgeConfig, readConfig } from './config/config.ts';
import { asksForHelp, usage } from './config/flags.ts';
import type { TemporalConfig } from './config/temporal-settings.ts';
import type { TracingConfig } from './config/tracing-settings.ts';
import { type Health, serveHealth } from './health/serve-health.ts';
import { createLog, type Log } from './log.ts';
import { countReadings } from './metrics/certificates.ts';
import { createMetrics, type Metrics } from './metrics/registry.ts';
import { type Gate, type MetricsServerDeps, serveMetrics } from './metrics/server.ts';
import { activityFields } from './temporal/activity-fields.ts';
import { plainTextWarning } from './temporal/plain-text.ts';
import { installTemporal, temporalMetrics } from './temporal/runtime.ts';
import type { OnRead } from './tls/serving-certificate.ts';
import { openTracing, type Tracing } from './tracing/tracing.ts';

type Settings = MetricsServerDeps['config'] &
  TracingConfig &
  TemporalConfig &
  Pick<BridgeConfig, 'HEALTH_ADDR' | 'LOG_LEVEL' | 'DEV_LOGGING'>;

interface Closable {
  close(): Promise<unknown>;
}

export interface ProcessOptions<Config extends Settings, Api extends Closable> {
  /** Name of the process in each line of the log, and in `temper_build_info`. */
  readonly name: string;
  readonly schema: z.ZodType<Config>;
  readonly metrics: Parameters<typeof createMetrics>[0];
  /** Connects to the API server, which also authorizes clients of /metrics. */
  readonly connect: (config: Config, record: Metrics['record']) => Api & { readonly gate: Gate };
  readonly health: (config: Config) => Promise<Health>;
  /** Works until the signal is aborted. */
  readonly run: (running: Running<Config, Api>) => Promise<void>;
}

export interface Running<Config, Api> {
  readonly config: Config;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly api: Api;
  readonly tracing: Tracing;
  /** Counts reads of certificates. */
  readonly onRead: OnRead;
  /** Aborted by SIGTERM and SIGINT. */
  readonly signal: AbortSignal;
  /** Closes the resource when the process ends, after those opened later. */
  readonly closeAtEnd: <Resource extends Closable>(resource: Resource) => Resource;
}

/** Runs a process from its configuration to its end: log, metrics, health, signals, and exit code 1 after a failure. */
export async function runProcess<Config extends Settings, Api extends Closable>(
  options: ProcessOptions<Config, Api>,
): Promise<void> {
  const { name, connect, health, run } = options;
  const config = configOf(options.schema);
  const log = createLog(name, config, { fields: activityFields });
  const metrics = createMetrics(options.metrics);
  const build = buildInfoIn(process.env);
  metrics.record({ name: 'temper_build_info', labels: { program: name, ...build, node: process.version } });
  log.info({ ...build, node: process.version }, 'starting');
  const temporal = await temporalMetrics();
  const runtime = installTemporal(log, temporal);
  const stop = new AbortController();
  for (const each of ['SIGTERM', 'SIGINT'] as const) process.once(each, () => stop.abort());
  const opened: Closable[] = [runtime];
  const closeAtEnd = <Resource extends Closable>(resource: Resource): Resource => {
    opened.push(resource);
    return resource;
  };
  try {
    const tracing = closeAtEnd(await openTracing(config, name, log));
    const always = [plainTextWarning(config)].filter((words) => words !== undefined);
    for (const words of always) log.warn(words);
    const healthNow = async (): Promise<Health> => {
      const { missing, warnings } = await health(config);
      return { missing, warnings: [...warnings, ...always] };
    };
    closeAtEnd(await serveHealth({ address: config.HEALTH_ADDR, health: healthNow, log }));
    const api = closeAtEnd(connect(config, metrics.record));
    const read = async (): Promise<string> => `${await metrics.read()}${await temporal.read()}`;
    const onRead = countReadings(metrics.record);
    closeAtEnd(await serveMetrics({ config, gate: api.gate, log, read, onRead }));
    await run({ config, log, metrics, api, tracing, onRead, signal: stop.signal, closeAtEnd });
    log.info('stopped');
  } catch (error) {
    if (!stop.signal.aborted) {
      log.fatal({ err: error }, 'the process failed');
      process.exitCode = 1;
    }
  } finally {
    stop.abort();
    for (const resource of opened.reverse()) await resource.close();
  }
}

/**
 * The settings of this process from its command line and environment; ends the process with a message when they are
 * invalid.
 */
function configOf<Schema extends z.ZodType>(schema: Schema): z.infer<Schema> {
  const args = process.argv.slice(2);
  if (asksForHelp(args)) {
    process.stdout.write(`Flags, as of baremetal-operator; docs/configuration.md explains the variables:\n${usage()}`);
    process.exit(0);
  }
  try {
    return readConfig(schema, process.env, args);
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  }
}
