import { type Transferable, Worker } from 'node:worker_threads';

export interface ThreadLaneOptions {
  /** The program of the thread. */
  readonly program: URL;
  readonly name: string;
  readonly workerData?: unknown;
  readonly heapMb: number;
  /** Milliseconds for one answer; then the thread is replaced. */
  readonly timeMs: number;
  /**
   * Milliseconds for the start of a thread, which takes seconds on a busy computer. The first message of the thread says
   * that it is ready. Absent: it sends no such message.
   */
  readonly startMs?: number;
  /** Milliseconds after which a thread without work ends; without: never. */
  readonly endAfterMs?: number;
}

/** One thread that answers one question at a time. A thread that a question breaks is replaced for the next question. */
export interface ThreadLane<Question, Message> {
  /**
   * Rejects with the error of the thread, and with `TooLong`. Does not begin once aborted. `moved`: memory of the
   * question that the thread gets.
   */
  ask(question: Question, signal?: AbortSignal, moved?: readonly Transferable[]): Promise<Message>;
  /** Starts the thread before it is needed; resolves with its first message. */
  warmUp(): Promise<Message | undefined>;
  close(): Promise<void>;
}

/** The thread took more time than it may. */
export class TooLong extends Error {
  override readonly name = 'TooLong';
}

export function createThreadLane<Question, Message>(options: ThreadLaneOptions): ThreadLane<Question, Message> {
  const { program, name, workerData, heapMb, timeMs, startMs, endAfterMs } = options;
  let thread: Worker | undefined;
  let ready: Promise<Message> | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let idle: NodeJS.Timeout | undefined;

  const end = (ended: Worker): Promise<unknown> => {
    if (thread === ended) thread = undefined;
    return ended.terminate();
  };

  /** A thread that sends none in time is ended. */
  const nextMessage = async (from: Worker, withinMs: number): Promise<Message> => {
    const { promise, resolve, reject } = Promise.withResolvers<Message>();
    const gone = 'the thread ended before its answer';
    const timer = setTimeout(() => reject(new TooLong(`${gone}: it took more than ${withinMs} ms`)), withinMs);
    const onExit = (): void => reject(new Error(gone));
    from.on('message', resolve).on('error', reject).on('exit', onExit);
    try {
      return await promise;
    } catch (error) {
      void end(from);
      throw error;
    } finally {
      clearTimeout(timer);
      from.off('message', resolve).off('error', reject).off('exit', onExit);
    }
  };

  const running = (): Worker => {
    if (thread !== undefined) return thread;
    const started = new Worker(program, { name, workerData, resourceLimits: { maxOldGenerationSizeMb: heapMb } });
    // A question that waits for its answer has a timer, which keeps the process.
    started.unref();
    started.on('error', () => void end(started)).on('exit', () => void end(started));
    thread = started;
    ready = startMs === undefined ? undefined : nextMessage(started, startMs);
    ready?.catch(() => undefined);
    return started;
  };

  const ask: ThreadLane<Question, Message>['ask'] = async (question, signal, moved = []) => {
    signal?.throwIfAborted();
    clearTimeout(idle);
    const asked = running();
    await ready;
    try {
      asked.postMessage(question, moved);
      return await nextMessage(asked, timeMs);
    } finally {
      if (endAfterMs !== undefined) idle = setTimeout(() => void end(asked), endAfterMs).unref();
    }
  };

  return {
    ask(...asked) {
      const turn = last.then(() => ask(...asked));
      last = turn.catch(() => undefined);
      return turn;
    },
    async warmUp() {
      running();
      return ready;
    },
    async close() {
      clearTimeout(idle);
      if (thread !== undefined) await end(thread);
    },
  };
}
