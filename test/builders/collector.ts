import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A span as OTLP sends it in JSON. */
export interface CollectedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
  readonly status: { readonly code?: number; readonly message?: string };
}

interface Export {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: CollectedSpan['attributes'] };
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[];
  }[];
}

/** An OpenTelemetry collector, which keeps what it is sent. */
export interface Collector {
  readonly endpoint: string;
  readonly exports: readonly Export[];
  readonly spans: readonly CollectedSpan[];
  /** The names of a span and of all above it, from the root on; `?` for one that did not arrive; none of no span. */
  pathOf(span: CollectedSpan | undefined): readonly string[];
  close(): Promise<void>;
}

export const attributesOf = (span: CollectedSpan | undefined): Readonly<Record<string, unknown>> =>
  Object.fromEntries(span?.attributes.map(({ key, value }) => [key, Object.values(value as object)[0]]) ?? []);

export async function startCollector(): Promise<Collector> {
  const exports: Export[] = [];
  const take = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    if (incoming.url === '/v1/traces') exports.push((await json(incoming)) as Export);
    outgoing.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  };
  const server = createServer((incoming, outgoing) => void take(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const spans = (): readonly CollectedSpan[] =>
    exports.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans: each }) => each)),
    );
  const pathOf = (span: CollectedSpan | undefined): readonly string[] => {
    if (span === undefined) return [];
    const { name, parentSpanId = '' } = span;
    const parent = spans().find(({ spanId }) => spanId === parentSpanId);
    return parent === undefined ? [...(parentSpanId === '' ? [] : ['?']), name] : [...pathOf(parent), name];
  };
  return {
    pathOf,
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    exports,
    get spans() {
      return spans();
    },
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
