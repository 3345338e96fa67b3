import { setTimeout as sleep } from 'node:timers/promises';
import { createSecureContext } from 'node:tls';
import { Worker } from 'node:worker_threads';
import type { Log } from '../../../platform/log.ts';
import type { Measurement, Metrics } from '../../../platform/metrics/registry.ts';
import type { KeyPair } from '../../../platform/tls/certificates.ts';
import type { KindsOptions } from '../kinds.ts';
import type { WebhookServer, WebhookServerOptions } from './server.ts';

/** The options that the thread gets at its start. */
export interface ThreadOptions extends Pick<WebhookServerOptions, 'address' | 'tls'> {
  readonly kinds: KindsOptions;
}

export type ToThread = { readonly kind: 'use'; readonly pair: KeyPair } | { readonly kind: 'close' };

export type FromThread =
  | { readonly kind: 'listening'; readonly port: number }
  | {
      readonly kind: 'log';
      readonly level: 'info' | 'warn' | 'error';
      readonly fields: object;
      readonly message: string;
    }
  | { readonly kind: 'measured'; readonly measurements: readonly Measurement[] };

export interface IsolatedServer extends WebhookServer {
  /** False while the thread is replaced after a failure. */
  readonly isServing: boolean;
}

export interface IsolatedServerOptions extends ThreadOptions {
  /** The program of the thread; for tests. */
  readonly program?: URL;
  readonly log: Log;
  readonly record: Metrics['record'];
}

/** Pause before a thread is replaced that ended. */
const RESTART_MS = 500;
const HEAP_MB = 256;
/** Longer than the server waits for requests that have begun. */
const END_MS = 10_000;

/**
 * Serves reviews in a thread with an event loop and a heap of its own: no flood of requests delays the controller or
 * its Lease, and nothing that the controller does delays an answer. The first start rejects when the port is taken.
 */
export async function serveIsolated({
  program = new URL('./server-thread.ts', import.meta.url),
  log,
  record,
  ...options
}: IsolatedServerOptions): Promise<IsolatedServer> {
  let pair: KeyPair | undefined;
  let port = options.address.port;
  let serving: Worker | undefined;
  /** The thread that was started last; it serves once it listens. */
  let latest: Worker | undefined;
  let isClosing = false;

  const start = (): Promise<Worker> => {
    const { promise, resolve, reject } = Promise.withResolvers<Worker>();
    const thread = new Worker(program, {
      name: 'webhooks',
      workerData: { ...options, address: { ...options.address, port } } satisfies ThreadOptions,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    });
    latest = thread;
    thread.on('message', (message: FromThread) => {
      if (message.kind === 'log') log[message.level](message.fields, message.message);
      else if (message.kind === 'measured') for (const each of message.measurements) record(each);
      else {
        port = message.port;
        serving = thread;
        if (pair !== undefined) thread.postMessage({ kind: 'use', pair } satisfies ToThread);
        resolve(thread);
      }
    });
    thread.on('error', (error) => {
      log.error({ err: error }, 'the thread of the webhooks failed');
      reject(error);
    });
    thread.once('exit', () => {
      reject(new Error('the thread of the webhooks ended'));
      if (serving !== thread) return;
      serving = undefined;
      if (!isClosing) void restart();
    });
    return promise;
  };

  const restart = async (): Promise<void> => {
    while (!isClosing && serving === undefined) {
      await sleep(RESTART_MS);
      if (!isClosing) await start().catch(() => undefined);
    }
  };

  await start();
  return {
    get port() {
      return port;
    },
    get isServing() {
      return serving !== undefined;
    },
    use(next) {
      createSecureContext({ ...options.tls, ...next });
      pair = next;
      serving?.postMessage({ kind: 'use', pair: next } satisfies ToThread);
    },
    async close() {
      isClosing = true;
      if (serving === undefined) return void (await latest?.terminate());
      const thread = serving;
      const ended = new Promise((resolve) => void thread.once('exit', resolve));
      thread.postMessage({ kind: 'close' } satisfies ToThread);
      await Promise.race([ended, sleep(END_MS, undefined, { ref: false })]);
      await thread.terminate();
    },
  };
}
