import { type ReplayWorkerOptions, Worker } from '@temporalio/worker';
import type { RecordedHistory } from './wordless.ts';

/** A recording in `histories/`. */
export interface Recorded {
  readonly workflowId: string;
  readonly history: RecordedHistory;
}

export interface Replayer {
  /** Rejects if the code gives other commands than the history has. One history at a time. */
  replay(recorded: Recorded): Promise<void>;
  close(): Promise<void>;
}

/** Replays many histories with one worker: to start a worker takes longer than most replays. */
export function openReplayer(options: ReplayWorkerOptions): Replayer {
  let given = Promise.withResolvers<Recorded | undefined>();
  async function* histories(): AsyncGenerator<{ readonly workflowId: string; readonly history: unknown }> {
    for (let recorded = await given.promise; recorded !== undefined; recorded = await given.promise) {
      given = Promise.withResolvers();
      yield recorded;
    }
  }
  const results = Worker.runReplayHistories(options, histories());
  return {
    replay: async (recorded) => {
      given.resolve(recorded);
      const next = await results.next();
      if (next.done === true) throw new Error(`the worker has ended before it replayed ${recorded.workflowId}`);
      if (next.value.error !== undefined) throw next.value.error;
    },
    close: async () => {
      given.resolve(undefined);
      await results.return?.();
    },
  };
}
