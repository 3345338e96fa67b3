import { messageOf } from '../../../domain/message-of.ts';
import { createThreadLane, type ThreadLaneOptions } from '../../../platform/lane.ts';
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

export interface LaneOptions extends Omit<ThreadLaneOptions, 'name' | 'workerData'> {
  readonly kinds: KindsOptions;
}

/** A thread that answers one review at a time. */
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

export function createLane({ kinds, ...options }: LaneOptions): Lane {
  const thread = createThreadLane<ReviewRequest, ThreadMessage>({
    ...options,
    name: 'webhook answers',
    workerData: kinds,
  });
  return {
    async answer(request, signal) {
      const message = await thread.ask(request, signal, [request.body.buffer]).catch((error: unknown) => {
        signal.throwIfAborted();
        throw new Unanswered(503, `the review took too much time or memory: ${messageOf(error)}`);
      });
      if (message.kind === 'answered') return message.reply;
      throw message.kind === 'failed' ? message.error : new Error('the thread started again');
    },
    async warmUp() {
      const message = await thread.warmUp();
      if (message?.kind !== 'ready') throw new Error('the first message of the thread does not say that it is ready');
      return message.paths;
    },
    close: () => thread.close(),
  };
}
