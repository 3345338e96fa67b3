import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from '../domain/message-of.ts';

/** Asks a server that the process needs. Returns one line when it does not answer, else none. */
export type Probe = () => Promise<readonly string[]>;

/** Several probes ask every few seconds. Within this time, they get the last answer. */
const KEPT_MS = 5_000;
/** Shorter than the timeout of the probes in deploy/kubernetes. */
const DEADLINE_MS = 3_000;

export function createProbe(
  server: string,
  ask: (signal: AbortSignal) => Promise<unknown>,
  { keptMs = KEPT_MS, deadlineMs = DEADLINE_MS, now = () => performance.now() } = {},
): Probe {
  let last: { readonly at: number; readonly answer: Promise<readonly string[]> } | undefined;
  const askNow = async (): Promise<readonly string[]> => {
    const late = new AbortController();
    const asked = ask(late.signal).then(
      () => [],
      (error: unknown) => [`${server} does not answer: ${messageOf(error)}`],
    );
    const answer = await Promise.race([asked, sleep(deadlineMs, undefined, { ref: false, signal: late.signal })]);
    late.abort();
    return answer ?? [`${server} does not answer within ${deadlineMs / 1_000} s`];
  };
  return () => {
    if (last === undefined || now() - last.at >= keptMs) last = { at: now(), answer: askNow() };
    return last.answer;
  };
}
