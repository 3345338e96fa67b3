import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import type { FromHealthThread, Health, HealthThreadOptions, Question, ToHealthThread } from './serve-health.ts';

/** Answers probes in a thread; `serve-health.ts` starts it. */
const { address, patienceMs, hangsAfterMs } = workerData as HealthThreadOptions;

let last: { readonly health: Health; readonly at: number } | undefined;
let next = Promise.withResolvers<Health>();
/** Questions that the main thread has not received yet; each is asked once, however many probes come. */
const waiting = new Set<Question>();
/** Since when questions wait and the main thread receives none; undefined: no question waits. */
let silentSince: number | undefined;

const tell = (message: FromHealthThread): void => parentPort?.postMessage(message);

function ask(question: Question): void {
  if (waiting.has(question)) return;
  waiting.add(question);
  silentSince ??= performance.now();
  tell({ kind: 'asks', question });
}

parentPort?.on('message', (message: ToHealthThread) => {
  if (message.kind === 'received') {
    waiting.delete(message.question);
    silentSince = waiting.size === 0 ? undefined : performance.now();
  } else {
    last = { health: message.health, at: performance.now() };
    next.resolve(message.health);
    next = Promise.withResolvers();
  }
});

const silentMs = (): number => (silentSince === undefined ? 0 : performance.now() - silentSince);
const inSeconds = (ms: number): string => `${Math.round(ms / 1_000)} s`;
const hanging = (): readonly string[] =>
  silentMs() < hangsAfterMs ? [] : [`the main thread has not reacted for ${inSeconds(silentMs())}`];

function liveness(): Health {
  ask('life');
  return { missing: hanging(), warnings: [] };
}

async function readiness(): Promise<Health> {
  ask('health');
  const current = await Promise.race([next.promise, sleep(Math.max(0, patienceMs - silentMs()))]);
  if (current !== undefined) return current;
  if (last === undefined) return { missing: ['the process has just started', ...hanging()], warnings: [] };
  const { missing, warnings } = last.health;
  const age = `the process is busy: this is its answer of ${inSeconds(performance.now() - last.at)} ago`;
  return { missing: [...missing, ...hanging()], warnings: [...warnings, age] };
}

const ANSWERS = new Map<string, () => Health | Promise<Health>>([
  ['/healthz', liveness],
  ['/readyz', readiness],
]);

const server = createServer((request, response) => {
  const [path = ''] = (request.url ?? '').split('?');
  const answer = ANSWERS.get(path);
  if (answer === undefined) return void response.writeHead(404).end('not found\n');
  void Promise.resolve(answer()).then(({ missing, warnings }) => {
    const lines = [...(missing.length === 0 ? ['ok'] : missing), ...warnings.map((words) => `warning: ${words}`)];
    response.writeHead(missing.length === 0 ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8' });
    response.end(`${lines.join('\n')}\n`);
  });
});
server.listen(address.port, address.hostname, () =>
  tell({ kind: 'listening', port: (server.address() as AddressInfo).port }),
);
