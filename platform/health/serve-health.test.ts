import { Worker } from 'node:worker_threads';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { type Health, type HealthOptions, type HealthServer, serveHealth } from './serve-health.ts';

const OK: Health = { missing: [], warnings: [] };
const OPTIONS: HealthOptions = {
  address: { hostname: '127.0.0.1', port: 0 },
  health: async () => OK,
  log: pino({ level: 'silent' }),
  // Longer than the main thread of a busy computer needs.
  patienceMs: 600_000,
};
let server: HealthServer;
afterEach(() => server.close());

const serve = async (options: Partial<HealthOptions> = {}): Promise<void> => {
  server = await serveHealth({ ...OPTIONS, ...options });
};

const at = async (path: string) => {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
  return { status: response.status, text: await response.text() };
};

describe('/readyz', () => {
  test('has a line for each missing part, and /healthz does not ask for them', async () => {
    let asked = 0;
    const health = async (): Promise<Health> => {
      asked += 1;
      return { missing: ['one', 'two'], warnings: [] };
    };
    await serve({ health });
    expect(await at('/healthz')).toEqual({ status: 200, text: 'ok\n' });
    expect(asked).toBe(0);
    expect(await at('/readyz')).toEqual({ status: 503, text: 'one\ntwo\n' });
  });

  test('has a line for each warning, which does not make it fail', async () => {
    let missing: readonly string[] = [];
    await serve({ health: async () => ({ missing, warnings: ['no TLS'] }) });
    expect(await at('/readyz')).toEqual({ status: 200, text: 'ok\nwarning: no TLS\n' });
    missing = ['one'];
    expect(await at('/readyz')).toEqual({ status: 503, text: 'one\nwarning: no TLS\n' });
    expect(await at('/healthz')).toEqual({ status: 200, text: 'ok\n' });
  });

  test('fails with the reason when the process can not say what is missing', async () => {
    await serve({ health: () => Promise.reject(new Error('a mistake')) });
    expect(await at('/readyz')).toEqual({ status: 503, text: 'a mistake\n' });
  });
});

/** In a thread of its own: asks until an answer is as wanted, and writes to the shared memory that it was. */
const CLIENT = `
  import { get } from 'node:http';
  import { text } from 'node:stream/consumers';
  import { workerData } from 'node:worker_threads';
  const { done, port, path, status, words } = workerData;
  const ask = () => new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path }, async (response) => {
      resolve((await text(response)).includes(words) && response.statusCode === status);
    }).once('error', reject);
  });
  while (!(await ask()));
  Atomics.store(done, 0, 1);
  Atomics.notify(done, 0);
`;

/** Blocks this thread until a client got this status with these words; false: it never did. */
function isToldMeanwhile(path: string, status: number, words: string): boolean {
  const done = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { done, port: server.port, path, status, words };
  const client = new Worker(new URL(`data:text/javascript,${encodeURIComponent(CLIENT)}`), { workerData });
  Atomics.wait(done, 0, 0, 120_000);
  void client.terminate();
  return done[0] === 1;
}

const HASTY = { patienceMs: 50 };
const OK_WORDS = { status: 200, text: 'ok\n' };

describe('while the main thread is busy', () => {
  test('/healthz answers as before', async () => {
    await serve();
    expect(isToldMeanwhile('/healthz', 200, 'ok\n')).toBe(true);
  });

  test('/readyz has the last answer, and says how old it is', async () => {
    await serve({ ...HASTY, health: async () => ({ missing: [], warnings: ['no TLS'] }) });
    const current = { status: 200, text: 'ok\nwarning: no TLS\n' };
    await expect.poll(() => at('/readyz')).toEqual(current);
    const words = `${current.text}warning: the process is busy: this is its answer of `;
    expect(isToldMeanwhile('/readyz', 200, words)).toBe(true);
    await expect.poll(() => at('/readyz')).toEqual(current);
  });

  test('a process that was not ready stays so', async () => {
    await serve({ ...HASTY, health: async () => ({ ...OK, missing: ['Temporal'] }) });
    await expect.poll(() => at('/readyz')).toEqual({ status: 503, text: 'Temporal\n' });
    expect(isToldMeanwhile('/readyz', 503, 'Temporal\nwarning: the process is busy')).toBe(true);
  });

  test('a process that never said what is missing is not ready', async () => {
    await serve(HASTY);
    expect(isToldMeanwhile('/readyz', 503, 'the process has just started\n')).toBe(true);
  });
});

describe('a main thread that hangs', () => {
  test.each(['/healthz', '/readyz'])('fails %s, until it reacts again', async (path) => {
    await serve({ ...HASTY, hangsAfterMs: 100 });
    await expect.poll(() => at(path)).toEqual(OK_WORDS);
    expect(isToldMeanwhile(path, 503, 'the main thread has not reacted for ')).toBe(true);
    await expect.poll(() => at(path)).toEqual(OK_WORDS);
  });
});

describe('the server of both', () => {
  test('knows no other paths', async () => {
    await serve();
    expect(await at('/')).toMatchObject({ status: 404 });
  });

  test('listens no more once it is closed', async () => {
    await serve();
    await server.close();
    await expect(at('/healthz')).rejects.toThrow('fetch failed');
  });

  test('says which setting names an address that is taken', async () => {
    await serve();
    const address = { ...OPTIONS.address, port: server.port };
    await expect(serveHealth({ ...OPTIONS, address })).rejects.toThrow(
      `HEALTH_ADDR: can't serve /healthz on port ${server.port}: listen EADDRINUSE`,
    );
  });

  test('says in the log that its thread failed', async () => {
    const program = `
      import { parentPort } from 'node:worker_threads';
      parentPort.postMessage({ kind: 'listening', port: 4711 });
      parentPort.once('message', () => { throw new Error('out of order'); });
      parentPort.postMessage({ kind: 'asks', question: 'life' });
    `;
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    await serve({ program: new URL(`data:text/javascript,${encodeURIComponent(program)}`), log });
    await expect.poll(() => lines.join('')).toContain('the thread that answers probes failed');
    expect(lines.join('')).toContain('out of order');
  });
});
