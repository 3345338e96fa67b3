import { createThreadLane, TooLong } from '../../platform/lane.ts';
import { DOCUMENT_LIMITS } from './limits.ts';
import type { Parsed } from './parse.ts';
import type { TextProblem } from './problem.ts';
import { createTurns } from './turns.ts';

/** Documents that are read, or written, at a time, each of another tenant. */
const THREADS = 2;
/** A thread that has nothing to do ends after this time. */
const IDLE_MS = 30_000;

interface Problem {
  readonly kind: 'problem';
  readonly problem: TextProblem;
}

/**
 * What a thread makes of a text of a tenant. Rejects only when a thread fails for a reason that the text does not
 * explain, or with the reason of the signal; a text that nobody waits for any more is not begun with.
 */
type InThread<Answer> = (tenant: string, text: string, signal?: AbortSignal) => Promise<Answer | Problem>;

export type DocumentReader = InThread<Parsed>;

interface Work<Answer> {
  readonly text: string;
  readonly resolve: (answer: Answer | Problem) => void;
  readonly reject: (error: unknown) => void;
}

export interface DocumentThreadOptions {
  /** The program of a thread; for tests. */
  readonly program?: URL;
  readonly milliseconds?: number;
  readonly heapMb?: number;
}

export const createDocumentReader = ({
  program = new URL('./reading-thread.ts', import.meta.url),
  ...options
}: DocumentThreadOptions = {}): DocumentReader => createThreads<Parsed>({ program, ...options });

/** Writes YAML of a JSON text. */
export const createYamlWriter = (): InThread<{ readonly kind: 'yaml'; readonly text: string }> =>
  createThreads({ program: new URL('./writing-thread.ts', import.meta.url) });

/**
 * Reads or writes documents in threads with event loops and heaps of their own. A text that takes too long ends its
 * thread and nothing else, and other tenants are served meanwhile.
 */
function createThreads<Answer>({
  program,
  milliseconds = DOCUMENT_LIMITS.milliseconds,
  heapMb = DOCUMENT_LIMITS.heapMb,
}: DocumentThreadOptions & { readonly program: URL }): InThread<Answer> {
  const turns = createTurns<Work<Answer>>();
  const free = Array.from({ length: THREADS }, () =>
    createThreadLane<string, Answer>({ program, name: 'documents', heapMb, timeMs: milliseconds, endAfterMs: IDLE_MS }),
  );

  const serveNext = async (): Promise<void> => {
    // The one that was used last, which runs.
    const lane = free.pop();
    if (lane === undefined) return;
    const turn = turns.next();
    if (turn === undefined) return void free.push(lane);
    const { text, resolve, reject } = turn.work;
    try {
      resolve(await lane.ask(text));
    } catch (error) {
      const reason = reasonOf(error, milliseconds);
      if (reason === undefined) reject(error);
      else resolve({ kind: 'problem', problem: { reason } });
    }
    free.push(lane);
    turns.done(turn.tenant);
    void serveNext();
  };

  return async (tenant, text, signal) => {
    signal?.throwIfAborted();
    const { promise, resolve, reject } = Promise.withResolvers<Answer | Problem>();
    const work = { text, resolve, reject };
    const abandon = (): void => {
      turns.drop(tenant, work);
      reject(signal?.reason);
    };
    turns.add(tenant, work);
    signal?.addEventListener('abort', abandon);
    void serveNext();
    try {
      return await promise;
    } finally {
      signal?.removeEventListener('abort', abandon);
    }
  };
}

/** Why nothing can be made of a text, if the failure is its fault. */
function reasonOf(error: unknown, milliseconds: number): string | undefined {
  if (error instanceof TooLong) return `it takes more than ${milliseconds} ms`;
  const isOutOfMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isOutOfMemory ? 'it takes more memory than it may' : undefined;
}
