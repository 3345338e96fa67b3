import { Worker } from 'node:worker_threads';
import { messageOf } from '../../domain/message-of.ts';
import type { Address } from '../config/config-values.ts';
import type { Log } from '../log.ts';

/** What /readyz answers, in words. */
export interface Health {
  /** Empty when the process works. */
  readonly missing: readonly string[];
  /** What people should know; it changes no answer. */
  readonly warnings: readonly string[];
}

export interface HealthServer {
  readonly port: number;
  close(): Promise<void>;
}

export interface HealthOptions {
  readonly address: Address;
  /** Called in the thread of the caller, for each request of /readyz. */
  readonly health: () => Promise<Health>;
  readonly log: Log;
  /** The program of the thread; for tests. */
  readonly program?: URL;
  /** ms that /readyz waits for `health` before it tells the last answer; for tests. */
  readonly patienceMs?: number;
  /** ms after which a main thread that does not react counts as hung; for tests. */
  readonly hangsAfterMs?: number;
}

/** What the thread gets at its start. */
export type HealthThreadOptions = Required<Pick<HealthOptions, 'address' | 'patienceMs' | 'hangsAfterMs'>>;

/** `life` asks for a receipt alone, `health` for a receipt and an answer. */
export type Question = 'life' | 'health';

export type FromHealthThread =
  | { readonly kind: 'listening'; readonly port: number }
  | { readonly kind: 'asks'; readonly question: Question };

export type ToHealthThread =
  | { readonly kind: 'received'; readonly question: Question }
  | { readonly kind: 'health'; readonly health: Health };

/** Shorter than the timeouts of probes. */
const PATIENCE_MS = 1_000;
/**
 * Far longer than the main thread works without a pause: two seconds of CPU time at most, for a collection of all its
 * garbage or the largest page of objects. With a tenth of a core these are twenty seconds.
 */
const HANGS_AFTER_MS = 60_000;

/**
 * Serves /healthz (the process runs, and its main thread does not hang) and /readyz: it works, or 503 with one line for
 * each missing part. Each warning is a line more, and changes no answer. A thread of its own answers, because the main
 * thread may be busy for seconds, such as in a bridge that takes over its hosts.
 */
export async function serveHealth({
  address,
  health,
  log,
  program = new URL('./health-thread.ts', import.meta.url),
  patienceMs = PATIENCE_MS,
  hangsAfterMs = HANGS_AFTER_MS,
}: HealthOptions): Promise<HealthServer> {
  const thread = new Worker(program, {
    name: 'health',
    // This thread needs none of the modules that are loaded before our programs (`platform/temporal/preload.ts`).
    execArgv: [],
    workerData: { address, patienceMs, hangsAfterMs } satisfies HealthThreadOptions,
  });
  const tell = (message: ToHealthThread): void => thread.postMessage(message);
  const answer = async (): Promise<Health> => {
    try {
      return await health();
    } catch (error) {
      return { missing: [messageOf(error)], warnings: [] };
    }
  };
  const port = await new Promise<number>((resolve, reject) => {
    thread.once('error', (cause) =>
      reject(new Error(`HEALTH_ADDR: can't serve /healthz on port ${address.port}: ${messageOf(cause)}`, { cause })),
    );
    thread.on('message', (message: FromHealthThread) => {
      if (message.kind === 'listening') return resolve(message.port);
      const { question } = message;
      tell({ kind: 'received', question });
      if (question === 'health') void answer().then((current) => tell({ kind: 'health', health: current }));
    });
  });
  // Nobody answers the probes then, so Kubernetes restarts the container.
  thread.on('error', (error) => log.error({ err: error }, 'the thread that answers probes failed'));
  return { port, close: async () => void (await thread.terminate()) };
}
