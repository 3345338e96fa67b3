import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** For tests: a fake Ironic for answers that a real one gives only by chance. */
export interface ScriptedIronic {
  readonly endpoint: string;
  /** `METHOD /path?query` of every request so far, except for the version document and the drivers. */
  readonly requests: string[];
  readonly headers: IncomingMessage['headers'][];
  readonly bodies: string[];
  /** Of the requests without an answer, those for which nobody waits any more. */
  readonly givenUp: string[];
  /** What it answers when it is asked whether it lists its nodes, which is not among the requests. */
  listing: { readonly status: number; readonly body?: unknown };
  /** The newest API version that it reports. */
  newest: string;
  /** Called with each request, also with that for the version document and the drivers, before it is answered. */
  onRequest: (request: string) => void;
  close(): Promise<void>;
}

export type Answer =
  | { readonly status: number; readonly body?: unknown }
  /** The connection is closed instead of an answer. */
  | 'cut'
  /** Ironic does not know the node. */
  | 'gone'
  /** No answer at all. */
  | 'silence';

export const fault = (faultstring: string): object => ({
  error_message: JSON.stringify({ faultcode: 'Client', faultstring, debuginfo: null }),
});

const LISTS_NODES = '/v1/nodes?fields=uuid&limit=1';

/** Answers requests in order; the last answer is repeated, or decided anew. */
export async function scriptIronic(...answers: readonly (Answer | (() => Answer))[]): Promise<ScriptedIronic> {
  const script: ScriptedIronic = {
    endpoint: '',
    requests: [],
    headers: [],
    bodies: [],
    givenUp: [],
    newest: '1.115',
    listing: { status: 200, body: { nodes: [] } },
    onRequest: () => undefined,
    close,
  };
  const server = createServer((incoming, outgoing) => void respond(incoming, outgoing));

  async function respond(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = '', url = '' } = incoming;
    const body = await text(incoming);
    script.onRequest(`${method} ${url}`);
    if (/^\/v1\/?$/.test(url)) return send(outgoing, 200, { version: { version: script.newest } });
    if (url === '/v1/drivers') return send(outgoing, 200, { drivers: [{ name: 'redfish' }] });
    if (url === LISTS_NODES) return send(outgoing, script.listing.status, script.listing.body);
    script.requests.push(`${method} ${url}`);
    script.headers.push(incoming.headers);
    script.bodies.push(body);
    const next = answers[Math.min(script.requests.length, answers.length) - 1];
    const answer = typeof next === 'function' ? next() : next;
    if (answer === 'silence') return void outgoing.once('close', () => script.givenUp.push(`${method} ${url}`));
    if (answer === undefined || answer === 'cut') return void incoming.socket.destroy();
    if (answer === 'gone') return send(outgoing, 404, fault(`Node ${nodeIn(url)} could not be found.`));
    send(outgoing, answer.status, answer.body);
  }

  function close(): Promise<void> {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(() => resolve()));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(script, { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/` });
}

const nodeIn = (url: string): string => decodeURIComponent(/^\/v1\/nodes\/([^/?]+)/.exec(url)?.[1] ?? '');

function send(outgoing: ServerResponse, status: number, body: unknown): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', 'x-openstack-request-id': 'req-scripted' });
  outgoing.end(typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body));
}

export const aNodeAnswer = (more: object = {}): object => ({
  uuid: '11111111-1111-4111-8111-111111111111',
  name: 'metal~host-1',
  provision_state: 'manageable',
  ...more,
});
