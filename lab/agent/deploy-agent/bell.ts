import { setTimeout as delay } from 'node:timers/promises';

export type Sound = 'command' | 'finished';

/** Lets one waiter sleep until something happens; a ring without a waiter is kept for the next one. */
export interface Bell {
  ring(sound: Sound): void;
  /** Resolves with the sound that rang, or with undefined after the given time; rejects when the signal is aborted. */
  within(milliseconds: number, signal: AbortSignal): Promise<Sound | undefined>;
}

export const createBell = (): Bell => {
  let heard: Sound | undefined;
  let sleep: AbortController | undefined;
  return {
    ring: (sound) => {
      // "finished" requests an immediate heartbeat and must not be replaced by a later sound.
      if (heard !== 'finished') heard = sound;
      sleep?.abort();
    },
    within: async (milliseconds, signal) => {
      if (heard === undefined) {
        sleep = new AbortController();
        await delay(milliseconds, undefined, { signal: AbortSignal.any([signal, sleep.signal]) }).catch(
          () => undefined,
        );
        sleep = undefined;
      }
      signal.throwIfAborted();
      const sound = heard;
      heard = undefined;
      return sound;
    },
  };
};
