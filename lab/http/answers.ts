import { setTimeout as delay } from 'node:timers/promises';
import { Agent, fetch } from 'undici';
import type { IronicLogin } from './password-file.ts';
import { basicAuth } from './password-file.ts';

const RETRY_MS = 100;

export interface AnswerOptions {
  readonly login?: IronicLogin;
  readonly headers?: Readonly<Record<string, string>>;
  /** The CA to trust, in PEM. */
  readonly ca?: string;
  /** Decides from the body whether the server is ready. */
  readonly enough?: (body: string) => boolean;
}

/** Resolves as soon as `url` answers 2xx with a sufficient body; rejects with the last answer when aborted. */
export const answers = async (url: string, signal: AbortSignal, options: AnswerOptions = {}): Promise<void> => {
  const { login, ca, enough = () => true } = options;
  const dispatcher = new Agent({ connect: ca === undefined ? {} : { ca } });
  const headers = { ...options.headers, ...(login ? { authorization: basicAuth(login) } : {}) };
  let last = 'no answer yet';
  try {
    while (!signal.aborted) {
      try {
        const response = await fetch(url, { headers, signal, dispatcher });
        const body = await response.text();
        if (response.ok && enough(body)) return;
        last = `${response.status} ${body.slice(0, 200)}`;
      } catch (error) {
        if (signal.aborted) break;
        last =
          error instanceof Error
            ? [error.message, error.cause instanceof Error ? error.cause.message : ''].join(' ').trim()
            : String(error);
      }
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await dispatcher.close();
  }
  throw new Error(`waiting for ${url}: ${last}`);
};
