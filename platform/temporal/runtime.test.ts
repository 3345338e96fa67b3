import { execa } from 'execa';
import { expect, test } from 'vitest';

const aText: unknown = expect.any(String);

const at = (path: string): string => JSON.stringify(new URL(path, import.meta.url).href);

/** A process of its own, whose runtime writes to stdout. Its Temporal is so old that the native part warns. */
const WORKS = `
  import { createServer } from 'node:http2';
  import { NativeConnection, Runtime, Worker } from '@temporalio/worker';
  import { createLog } from ${at('../log.ts')};
  import { connectTemporal } from ${at('connection.ts')};
  import { installTemporal, temporalMetrics } from ${at('runtime.ts')};
  const server = createServer();
  server.on('stream', (stream, headers) => {
    const answers = /\\/(GetSystemInfo|DescribeNamespace)$/.test(String(headers[':path']));
    stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': answers ? '0' : '14' }));
    stream.end(answers ? Buffer.alloc(5) : undefined);
    stream.resume();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const runtime = installTemporal(createLog('test', { LOG_LEVEL: 'info', DEV_LOGGING: false }), await temporalMetrics());
  Runtime.instance().logger.error('failed', {
    error: new TypeError('no http://me:CANARY@images/a', { cause: new Error('why', { cause: { password: 'CANARY' } }) }),
  });
  const behindProxy = { 'grpc.http_connect_target': 'dns:temporal.invalid:7233' };
  await connectTemporal({ address: '127.0.0.1:9', connectTimeout: 300, channelArgs: behindProxy }).catch(() => undefined);
  const connection = await NativeConnection.connect({ address: '127.0.0.1:' + server.address().port });
  const worker = await Worker.create({ connection, namespace: 'n', taskQueue: 'q', activities: { work: () => undefined } });
  const run = worker.run();
  worker.shutdown();
  await run;
  await connection.close();
  await runtime.close();
  server.close();
`;

/** Ends before it connects to Temporal, as a bridge does that waits for its Lease. */
const STOPS = `
  import { runProcess } from ${at('../process.ts')};
  import { bridgeConfig } from ${at('../config/config.ts')};
  import { METRICS_OF } from ${at('../metrics/definitions.ts')};
  process.env.HEALTH_ADDR = '127.0.0.1:0';
  process.env.METRICS_ADDR = '0';
  const closable = { gate: () => undefined, close: () => Promise.resolve() };
  await runProcess({
    name: 'test', schema: bridgeConfig, metrics: METRICS_OF.bridge, connect: () => closable, missing: () => [],
    run: ({ signal }) => new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
      process.kill(process.pid, 'SIGTERM');
    }),
  });
`;

const cwd = new URL('../..', import.meta.url);
const run = (program: string) =>
  execa(process.execPath, ['--input-type=module', '--eval', program], { cwd, all: true, timeout: 100_000 });

test('the lines of Temporal’s SDK, of its gRPC and of its native part are JSON, and show errors with type, stack and causes', async () => {
  const { all } = await run(WORKS);
  const lines = all.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toContainEqual(
    expect.objectContaining({ sdkComponent: 'core', target: 'temporalio_sdk_core::worker' }),
  );
  expect(lines).toContainEqual(
    expect.objectContaining({
      msg: 'the connection to Temporal has a problem',
      error: 'Failed to connect to proxy 127.0.0.1:9 with error connect ECONNREFUSED 127.0.0.1:9',
    }),
  );
  expect(lines).toContainEqual(
    expect.objectContaining({
      msg: 'failed',
      error: {
        type: 'TypeError',
        message: 'no http://***@images/a',
        stack: aText,
        cause: { type: 'Error', message: 'why', stack: aText, cause: { password: '***' } },
      },
    }),
  );
}, 120_000);

test('a process that is asked to stop ends, although lines of the native part are forwarded', async () => {
  expect(await run(STOPS)).toMatchObject({ exitCode: 0, all: expect.stringContaining('"msg":"stopped"') as unknown });
}, 120_000);
