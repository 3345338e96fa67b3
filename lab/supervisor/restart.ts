import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../../domain/message-of.ts';

export interface RestartOptions {
  readonly start: (name: string) => Promise<void>;
  readonly report: (name: string, message: string) => void;
  /** Stops all restarts. */
  readonly signal: AbortSignal;
}

/** Restarts crashed services, after a pause that grows with each crash. */
export function createRestarter({ start, report, signal }: RestartOptions): (name: string, ending: string) => void {
  const crashes = new Map<string, readonly number[]>();
  const restart = async (name: string, ending: string): Promise<void> => {
    const recent = [...(crashes.get(name) ?? []), Date.now()].filter((at) => at > Date.now() - 120_000);
    crashes.set(name, recent);
    const pauseMs = Math.min(500 * 2 ** (recent.length - 1), 30_000);
    report(name, `${ending}; started again in ${pauseMs / 1000} s`);
    try {
      await sleep(pauseMs, undefined, { signal });
      await start(name);
      report(name, 'is back');
    } catch (error) {
      if (signal.aborted) return;
      await restart(name, messageOf(error));
    }
  };
  return (name, ending) => void restart(name, `ended with ${ending}`);
}
