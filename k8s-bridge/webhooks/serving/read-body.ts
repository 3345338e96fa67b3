import type { IncomingMessage } from 'node:http';
import type { Limits } from './limits.ts';

/** Bodies up to `bytesOfSmall`, and larger ones. */
export type Size = 'small' | 'large';

export interface Body {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly size: Size;
  /** The client has read the answer, or has gone. */
  release(): void;
}

/** Why a request gets no answer, as a status of HTTP. */
export class Unanswered extends Error {
  override readonly name = 'Unanswered';
  readonly status: 408 | 413 | 503;
  constructor(status: Unanswered['status'], message: string) {
    super(message);
    this.status = status;
  }
}

export type ReadBody = (request: IncomingMessage, most: number, signal: AbortSignal) => Promise<Body>;

/**
 * Reads bodies within the limits; rejects with `Unanswered`. Small and large bodies have separate budgets, so that no
 * flood of large ones keeps a small one out.
 */
export function createReadBody({ bytesOfSmall, bytesHeld }: Pick<Limits, 'bytesOfSmall' | 'bytesHeld'>): ReadBody {
  const held = { small: 0, large: 0 };

  return (request, most, signal) => {
    const declared = Number(request.headers['content-length'] ?? 0);
    let [size, length]: [Size, number] = [declared > bytesOfSmall ? 'large' : 'small', 0];
    const release = (): void => {
      held[size] -= length;
      length = 0;
    };
    const tooLarge = new Unanswered(413, 'the request is too large');
    if (declared > most) return Promise.reject(tooLarge);

    const { promise, resolve, reject } = Promise.withResolvers<Body>();
    const chunks: Buffer[] = [];
    const onData = (chunk: Buffer): void => {
      held[size] += chunk.length;
      length += chunk.length;
      chunks.push(chunk);
      if (size === 'small' && length > bytesOfSmall) {
        held.small -= length;
        held.large += length;
        size = 'large';
      }
      if (length > most) reject(tooLarge);
      else if (held[size] > bytesHeld) reject(new Unanswered(503, 'too many requests'));
    };
    const onEnd = (): void => resolve({ bytes: joined(chunks, length), size, release });
    const onLost = (): void => reject(new Unanswered(408, 'the client has gone'));
    const onLate = (): void => reject(new Unanswered(408, 'the request took too long'));
    request.on('data', onData).once('end', onEnd).once('close', onLost).once('error', onLost);
    signal.addEventListener('abort', onLate, { once: true });
    const forget = (): void => {
      request.off('data', onData).off('end', onEnd).off('close', onLost).off('error', onLost);
      signal.removeEventListener('abort', onLate);
    };
    promise.then(forget, () => {
      forget();
      release();
    });
    return promise;
  };
}

/** Joins the chunks in memory of its own, which can be handed to another thread. */
function joined(chunks: readonly Buffer[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
