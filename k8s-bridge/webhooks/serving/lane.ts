import { Worker } from 'node:worker_threads';
import { messageOf } from '../../../domain/message-of.ts';
import type { KindsOptions } from '../kinds.ts';
import { Unanswered } from './read-body.ts';
import type { Reply } from './reviews.ts';

/** A message to the thread. */
export interface ReviewRequest {
  readonly path: string;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** A message from the thread. */
export type ThreadMessage =
  /** The first message; `paths` are those of all webhooks. */
  | { readonly kind: 'ready'; readonly paths: readonly string[] }
  | { readonly kind: 'answered'; readonly reply: Reply }
  | { readonly kind: 'failed'; readonly error: Error };

export interface LaneOptions {
  /** The program of the thread. */
  readonly program: URL;
  readonly kinds: KindsOptions;
  /** Milliseconds for one answer; then the thread is replaced. */
  readonly timeMs: number;
  /** Milliseconds for the start of a thread, which takes seconds on a busy computer. */
  readonly startMs: number;
  readonly heapMb: number;
  /** Milliseconds after which a thread without work ends; without: never. */
  readonly endAfterMs?: number;
}

/** One thread that answers one review at a time. A thread that a review breaks is replaced for the next review. */
export interface Lane {
  /**
   * Rejects when the review fails, and with `Unanswered` when it takes too long or ends the thread. Does not begin once
   * aborted.
   */
  answer(request: ReviewRequest, signal: AbortSignal): Promise<Reply>;
  /** Starts the thread before it is needed; resolves with the paths of all webhooks when it can answer. */
  warmUp(): Promise<readonly string[]>;
  close(): Promise<void>;
}

export function createLane({ program, kinds, timeMs, startMs, heapMb, endAfterMs }: LaneOptions): Lane {
  let thread: Worker | undefined;
  let ready: Promise<ThreadMessage> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;

  const end = (ended: Worker): Promise<unknown> => {
    if (thread === ended) thread = undefined;
    return ended.terminate();
  };

  const running = (): Worker => {
    if (thread !== undefined) return thread;
    const started = new Worker(program, {
      name: 'webhook answers',
      workerData: kinds,
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
    });
    ready = nextMessage(started);
    const timer = setTimeout(() => void end(started), startMs);
    ready.catch(() => undefined).finally(() => clearTimeout(timer));
    started.once('error', () => void end(started));
    started.once('exit', () => void end(started));
    thread = started;
    return started;
  };

  const answer = async ({ path, body }: ReviewRequest, signal: AbortSignal): Promise<Reply> => {
    signal.throwIfAborted();
    clearTimeout(idle);
    const worker = running();
    await ready;
    const timer = setTimeout(() => void end(worker), timeMs);
    try {
      const answered = nextMessage(worker);
      answered.catch(() => undefined);
      worker.postMessage({ path, body } satisfies ReviewRequest, [body.buffer]);
      return replyIn(await answered);
    } finally {
      clearTimeout(timer);
      if (endAfterMs !== undefined) idle = setTimeout(() => void end(worker), endAfterMs).unref();
    }
  };

  return {
    answer(request, signal) {
      const turn = last.then(() => answer(request, signal));
      last = turn.catch(() => undefined);
      return turn;
    },
    async warmUp() {
      running();
      const message = await ready;
      if (message?.kind !== 'ready') throw new Error('the first message of the thread does not say that it is ready');
      return message.paths;
    },
    async close() {
      clearTimeout(idle);
      if (thread !== undefined) await end(thread);
    },
  };
}

function replyIn(message: ThreadMessage): Reply {
  if (message.kind === 'answered') return message.reply;
  throw message.kind === 'failed' ? message.error : new Error('the thread started again');
}

/** The next message of a thread; rejects with `Unanswered` when the thread ends before. */
function nextMessage(thread: Worker): Promise<ThreadMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<ThreadMessage>();
  const onError = (error: unknown): void =>
    reject(new Unanswered(503, `the review took too much time or memory: ${messageOf(error)}`));
  const onExit = (): void => onError(new Error('the thread ended before its answer'));
  thread.once('message', resolve);
  thread.once('error', onError);
  thread.once('exit', onExit);
  const forget = (): void => {
    thread.off('message', resolve);
    thread.off('error', onError);
    thread.off('exit', onExit);
  };
  promise.then(forget, forget);
  return promise;
}
