import { EventEmitter, once } from 'node:events';

/** Whether a worker may take tasks. A worker can't be paused: it ends when the gate closes, and another one is created. */
export interface TaskGate {
  /** Resolves when tasks may be taken, with a signal that is aborted when they may not any more. */
  pass(signal: AbortSignal): Promise<AbortSignal>;
}

interface ControlledTaskGate extends TaskGate {
  readonly open: () => void;
  readonly close: () => void;
}

/** Open at first. */
export function createTaskGate(): ControlledTaskGate {
  const news = new EventEmitter();
  let closing = new AbortController();
  return {
    async pass(signal) {
      while (closing.signal.aborted) await once(news, 'open', { signal });
      return closing.signal;
    },
    open() {
      if (!closing.signal.aborted) return;
      closing = new AbortController();
      news.emit('open');
    },
    close: () => closing.abort(new Error('no tasks are taken now')),
  };
}
