import { Agent, fetch } from 'undici';
import { until } from '../supervisor/wait.ts';
import { basicAuth, type IronicLogin } from './password-file.ts';

/** Time limit for one answer. */
const PATIENCE_MS = 10_000;

export interface AnswerOptions {
  readonly login?: IronicLogin;
  readonly headers?: Readonly<Record<string, string>>;
  /** The CA to trust, and a certificate of the client with its key, in PEM. */
  readonly tls?: { readonly ca: string; readonly cert?: string; readonly key?: string };
  /** Decides from the body whether the server is ready. */
  readonly enough?: (body: string) => boolean;
}

/** Resolves as soon as `url` answers 2xx with a sufficient body; rejects with the last answer when aborted. */
export const answers = async (url: string, signal: AbortSignal, options: AnswerOptions = {}): Promise<void> => {
  const { login, tls = {}, enough = () => true } = options;
  const dispatcher = new Agent({ connect: tls });
  const headers = { ...options.headers, ...(login ? { authorization: basicAuth(login) } : {}) };
  const ask = async (): Promise<void> => {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    const response = await fetch(url, { headers, signal: patience, dispatcher });
    const body = await response.text();
    if (!response.ok || !enough(body)) throw new Error(`${response.status} ${body.slice(-300)}`);
  };
  try {
    await until(url, ask, signal);
  } finally {
    await dispatcher.close();
  }
};
