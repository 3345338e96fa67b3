import { setTimeout as sleep } from 'node:timers/promises';

/** Repeats the check until it does not throw; the final error has the check's last error. */
export async function until(what: string, check: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  let last: unknown = new Error('it was never checked');
  while (!signal.aborted) {
    try {
      await check();
      return;
    } catch (error) {
      last = error;
    }
    await sleep(50, undefined, { signal }).catch(() => undefined);
  }
  throw new Error(`${what} did not get ready: ${reasonOf(signal.reason)}; last answer: ${reasonOf(last)}`, {
    cause: last,
  });
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // fetch says only "fetch failed"; the reason is in the cause.
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
