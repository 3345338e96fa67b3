import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  constants,
  createSecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { KeyPair } from '../../platform/tls/certificates.ts';

/** What a Temporal behind TLS requires of clients; the development server itself can't require it. */
export interface Demands {
  readonly server: KeyPair;
  /** The CA of the clients' certificates; undefined: none is asked for. */
  readonly clientCa?: string;
  /** undefined: none is asked for. */
  readonly apiKeys?: readonly string[];
  /** Names of gRPC methods that nobody may call. */
  readonly forbidden?: readonly string[];
}

/** A call that was let through. */
export interface GatewayCall {
  /** Name of the gRPC method. */
  readonly method: string;
  /** Common name of the client's certificate. */
  readonly client: string | undefined;
  readonly apiKey: string | undefined;
}

export interface TemporalGateway {
  readonly address: string;
  readonly calls: readonly GatewayCall[];
  /** Names of the gRPC methods that were called although they are forbidden. */
  readonly refused: readonly string[];
  /** For new connections; API keys for all calls. */
  demand(demands: Demands): void;
  /** Ends all connections at once. */
  cut(): void;
  close(): Promise<void>;
}

/** As gRPC numbers them. */
const [PERMISSION_DENIED, UNAUTHENTICATED] = ['7', '16'];

/** Forwards gRPC to a Temporal without TLS, for clients that meet the demands. */
export async function openTemporalGateway(upstream: string, first: Demands): Promise<TemporalGateway> {
  let demands = first;
  const calls: GatewayCall[] = [];
  const refused: string[] = [];
  const sessions = new Map<Http2Session, ClientHttp2Session>();
  const server = createSecureServer(tlsOf(first));
  server.on('session', (session) => {
    const forward = connect(`http://${upstream}`);
    forward.on('error', () => session.destroy());
    session.on('error', () => undefined);
    sessions.set(session, forward);
    session.on('close', () => {
      sessions.delete(session);
      forward.destroy();
    });
  });
  server.on('stream', (stream, headers) => {
    const { session } = stream;
    const forward = session && sessions.get(session);
    if (session === undefined || forward === undefined) return stream.close(constants.NGHTTP2_REFUSED_STREAM);
    const [, apiKey] = /^Bearer (.*)$/.exec(headers.authorization ?? '') ?? [];
    if (demands.apiKeys !== undefined && !demands.apiKeys.includes(apiKey ?? ''))
      return refuse(stream, UNAUTHENTICATED);
    const method = headers[':path']?.split('/').at(-1) ?? '';
    if (demands.forbidden?.includes(method)) {
      refused.push(method);
      return refuse(stream, PERMISSION_DENIED);
    }
    calls.push({ method, client: clientOf(session), apiKey });
    forwardCall(stream, headers, forward);
  });
  // A client without a certificate ends here.
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const session of sessions.keys()) session.destroy();
  };
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    refused,
    demand(changed) {
      demands = changed;
      server.setSecureContext(tlsOf(changed));
    },
    cut,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      cut();
      await closed;
    },
  };
}

const tlsOf = ({ server, clientCa }: Demands) => ({
  ...server,
  ...(clientCa !== undefined && { ca: clientCa, requestCert: true, rejectUnauthorized: true }),
});

function clientOf({ socket }: Http2Session): string | undefined {
  if (!(socket instanceof TLSSocket)) return undefined;
  const { subject } = socket.getPeerCertificate();
  return subject?.CN?.toString();
}

function refuse(stream: ServerHttp2Stream, code: string): void {
  const status = { 'grpc-status': code, 'grpc-message': 'Request unauthorized.' };
  stream.respond({ ':status': 200, 'content-type': 'application/grpc', ...status }, { endStream: true });
}

function forwardCall(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, forward: ClientHttp2Session): void {
  const { ':authority': _, authorization: __, ...rest } = headers;
  const call = forward.request({ ...rest, ':scheme': 'http' });
  let trailers: IncomingHttpHeaders = {};
  call.on('response', (answer, flags) => {
    const isAll = (flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0;
    if (!stream.destroyed) stream.respond(answer, isAll ? { endStream: true } : { waitForTrailers: true });
  });
  call.on('trailers', (received: IncomingHttpHeaders) => void (trailers = received));
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  call.on('error', () => stream.close(constants.NGHTTP2_CANCEL));
  stream.on('error', () => call.close(constants.NGHTTP2_CANCEL));
  stream.on('close', () => call.close(constants.NGHTTP2_CANCEL));
  stream.pipe(call);
  call.pipe(stream);
}
