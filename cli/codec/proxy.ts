import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { request as send } from 'undici';
import { messageOf } from '../../domain/message-of.ts';
import { connectionsVia } from '../../platform/proxies.ts';
import type { TokenSource } from './token.ts';

export interface CodecProxyOptions {
  /** The codec server, without a slash at the end. */
  readonly server: string;
  /** PEM; without it, the authorities of the system are trusted. */
  readonly ca?: string | undefined;
  /** URL of the proxy through which it is reached. */
  readonly proxy?: string | undefined;
  /** On 127.0.0.1; 0: any that is free. */
  readonly port: number;
  readonly token: TokenSource;
  /** Called when payloads could not be converted, with the reason. */
  readonly onRefused: (reason: string) => void;
}

export interface CodecProxy {
  /** What is entered in the Web UI. It has a secret, which no other user of this computer can guess. */
  readonly endpoint: string;
  close(): Promise<void>;
}

const CONNECT_MS = 10_000;

const SENT = [
  'origin',
  'content-type',
  'x-namespace',
  'access-control-request-method',
  'access-control-request-headers',
];
const ANSWERED = [
  'content-type',
  'vary',
  'access-control-allow-origin',
  'access-control-allow-methods',
  'access-control-allow-headers',
];

/**
 * Stands between a browser on this computer and a codec server, and adds the token that the Web UI does not have. The
 * codec server decides which origins may ask; what has no origin is not sent by a browser, and refused.
 */
export async function startCodecProxy(options: CodecProxyOptions): Promise<CodecProxy> {
  const { server, ca, proxy, port, token, onRefused } = options;
  const secret = randomBytes(24).toString('base64url');
  const targets = new Map(['decode', 'encode'].map((verb) => [`/${secret}/${verb}`, `${server}/${verb}`]));
  const dispatcher = connectionsVia(proxy, { connect: { timeout: CONNECT_MS, ...(ca !== undefined && { ca }) } });

  async function answer(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = asked;
    const target = targets.get(url.replace(/\?.*$/, ''));
    if (target === undefined) return end(response, 404, 'not found');
    if (headers.origin === undefined) return end(response, 403, 'this address is for browsers');
    if (method !== 'POST' && method !== 'OPTIONS') return end(response, 405, 'POST alone');
    const authorization = method === 'POST' ? { authorization: `Bearer ${await token()}` } : {};
    const {
      statusCode,
      headers: answered,
      body,
    } = await send(target, {
      dispatcher,
      method,
      headers: { ...some(headers, SENT), ...authorization },
      body: method === 'POST' ? asked : null,
    });
    const shown = some(answered, ANSWERED);
    if (statusCode < 400) {
      response.writeHead(statusCode, shown);
      return pipeline(body, response);
    }
    const reason = await body.text();
    onRefused(reason);
    response.writeHead(statusCode, shown).end(reason);
  }

  const listening = createServer((asked, response) => {
    answer(asked, response).catch((error: unknown) => {
      onRefused(messageOf(error));
      if (response.headersSent) response.destroy();
      else end(response, 502, 'the codec server did not answer');
    });
  });
  listening.listen(port, '127.0.0.1');
  await once(listening, 'listening');
  const { port: chosen } = listening.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${chosen}/${secret}`,
    async close() {
      listening.closeAllConnections();
      listening.close();
      await dispatcher.destroy();
    },
  };
}

function end(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain' }).end(`${text}\n`);
}

const some = (headers: IncomingHttpHeaders, names: readonly string[]): IncomingHttpHeaders =>
  Object.fromEntries(names.flatMap((name) => (headers[name] === undefined ? [] : [[name, headers[name]]])));
