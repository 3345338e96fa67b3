import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { type ToldRequest, toldIn } from './told.ts';

/** Larger bodies are not read. */
const PEEK_BYTES = 4 * 1024 * 1024;

export type ForwardedRequest = { readonly status: number } & ToldRequest;

interface Forwarding {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  /** Read what the body says. */
  readonly peek: boolean;
  /** The client gets no answer. */
  readonly answerIsLost: boolean;
  /** The body, when it was read already. */
  readonly body?: Buffer;
}

/** Forwards requests to Ironic as streams and reads the bodies of those in `peek`. */
export const createForwarder = (upstream: URL) => {
  const isTls = upstream.protocol === 'https:';
  const agent = isTls ? new HttpsAgent({ keepAlive: true }) : new HttpAgent({ keepAlive: true });
  const send = isTls ? httpsRequest : httpRequest;
  return ({ incoming, outgoing, peek, answerIsLost, body }: Forwarding): Promise<ForwardedRequest> =>
    new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      const { connection: _, ...headers } = incoming.headers;
      const forwarded = send(
        {
          hostname: upstream.hostname,
          port: upstream.port,
          method: incoming.method,
          path: incoming.url,
          headers,
          agent,
        },
        (answer) => {
          const told = peek && size <= PEEK_BYTES ? toldIn(Buffer.concat(chunks)) : {};
          const done = { status: answer.statusCode ?? 502, ...told };
          if (answerIsLost) {
            answer.resume();
            incoming.socket.destroy();
            resolve(done);
            return;
          }
          const { connection: _upstream, 'keep-alive': _alive, ...answerHeaders } = answer.headers;
          outgoing.writeHead(done.status, answerHeaders);
          if (outgoing.destroyed) answer.resume();
          else {
            answer.pipe(outgoing);
            outgoing.once('close', () => answer.unpipe(outgoing).resume());
          }
          answer.once('end', () => resolve(done));
          answer.once('error', reject);
        },
      );
      forwarded.once('error', reject);
      outgoing.once('close', () => {
        // A request that moves a node is completed even when its client disconnects, because the recording needs
        // Ironic's answer.
        if (!outgoing.writableEnded && !peek) forwarded.destroy(new Error('the client went away'));
      });
      const keep = (chunk: Buffer): void => {
        size += chunk.length;
        if (peek && size <= PEEK_BYTES) chunks.push(chunk);
      };
      if (body !== undefined) {
        keep(body);
        forwarded.end(body);
        return;
      }
      incoming.on('data', keep);
      incoming.pipe(forwarded);
    });
};
