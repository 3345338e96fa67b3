import { Worker } from 'node:worker_threads';
import { DOCUMENT_LIMITS } from './limits.ts';
import type { Parsed } from './parse.ts';
import { createTurns } from './turns.ts';

/** Texts that are read at a time, each of another tenant. */
const THREADS = 2;
/** A thread that has nothing to do ends after this time. */
const IDLE_MS = 30_000;

/** Reads a text of a tenant. Rejects only when a thread fails for a reason that the text does not explain. */
export type DocumentReader = (tenant: string, text: string) => Promise<Parsed>;

interface Work {
  readonly text: string;
  readonly resolve: (parsed: Parsed) => void;
  readonly reject: (error: unknown) => void;
}

interface Idle {
  readonly thread: Worker;
  readonly timer: NodeJS.Timeout;
}

export interface ReaderOptions {
  /** The program of a thread; for tests. */
  readonly program?: URL;
  readonly milliseconds?: number;
  readonly heapMb?: number;
}

/**
 * Reads documents in threads with event loops and heaps of their own. A text that takes too long ends its thread and
 * nothing else, and other tenants are served meanwhile.
 */
export function createDocumentReader({
  program = new URL('./thread.ts', import.meta.url),
  milliseconds = DOCUMENT_LIMITS.milliseconds,
  heapMb = DOCUMENT_LIMITS.heapMb,
}: ReaderOptions = {}): DocumentReader {
  const turns = createTurns<Work>();
  const idle: Idle[] = [];
  let busy = 0;

  const takeThread = (): Worker => {
    const kept = idle.pop();
    if (kept === undefined) return start(program, heapMb);
    clearTimeout(kept.timer);
    return kept.thread;
  };

  const keepThread = (thread: Worker): void => {
    const timer = setTimeout(() => {
      idle.splice(
        idle.findIndex((each) => each.thread === thread),
        1,
      );
      void thread.terminate();
    }, IDLE_MS);
    timer.unref();
    idle.push({ thread, timer });
  };

  const serveNext = async (): Promise<void> => {
    if (busy === THREADS) return;
    const turn = turns.next();
    if (turn === undefined) return;
    busy += 1;
    const { text, resolve, reject } = turn.work;
    const thread = takeThread();
    try {
      const parsed = await readIn(thread, text, milliseconds);
      keepThread(thread);
      resolve(parsed);
    } catch (error) {
      void thread.terminate();
      const reason = reasonOf(error);
      if (reason === undefined) reject(error);
      else resolve({ kind: 'problem', problem: { reason } });
    }
    busy -= 1;
    turns.done(turn.tenant);
    void serveNext();
  };

  return (tenant, text) => {
    const { promise, resolve, reject } = Promise.withResolvers<Parsed>();
    turns.add(tenant, { text, resolve, reject });
    void serveNext();
    return promise;
  };
}

function start(program: URL, heapMb: number): Worker {
  const thread = new Worker(program, {
    name: 'documents',
    resourceLimits: { maxOldGenerationSizeMb: heapMb },
  });
  thread.unref();
  // The listeners of `readIn` answer for it while it reads.
  thread.on('error', () => undefined);
  return thread;
}

class TooLong extends Error {
  override readonly name = 'TooLong';
}

async function readIn(thread: Worker, text: string, milliseconds: number): Promise<Parsed> {
  const { promise, resolve, reject } = Promise.withResolvers<Parsed>();
  const timer = setTimeout(() => reject(new TooLong(`it takes more than ${milliseconds} ms to read`)), milliseconds);
  const ended = (): void => reject(new Error('the thread that read the document ended'));
  thread.on('message', resolve).on('error', reject).on('exit', ended);
  thread.postMessage(text);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    thread.off('message', resolve).off('error', reject).off('exit', ended);
  }
}

/** Why a text cannot be read, if the failure is its fault. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof TooLong) return error.message;
  const isOutOfMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isOutOfMemory ? `it takes more memory to read than it may` : undefined;
}
