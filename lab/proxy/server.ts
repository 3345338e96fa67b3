import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer, json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import type { Fault } from './faults.ts';
import { createFaults, faultSchema } from './faults.ts';
import { createForwarder } from './forward.ts';
import type { Recorded } from './recording.ts';
import { kindOf, nodeOf, summarize } from './recording.ts';

const answer = (outgoing: ServerResponse, status: number, body?: unknown): void => {
  outgoing.writeHead(status, { 'content-type': 'application/json' });
  outgoing.end(body === undefined ? undefined : JSON.stringify(body));
};

/** An error in Ironic's format. */
const ironicError = (message: string): object => ({
  error_message: { faultcode: 'Server', faultstring: message, debuginfo: null },
});

/** The page of a load balancer whose backend is away. */
const sendPage = (outgoing: ServerResponse, status: number, message: string): void => {
  outgoing.writeHead(status, { 'content-type': 'text/html' });
  outgoing.end(
    `<html>\n<head><title>${status}</title></head>\n<body><h1>${status}</h1><p>${message}</p></body>\n</html>\n`,
  );
};

export type ProxyHandler = (incoming: IncomingMessage, outgoing: ServerResponse) => Promise<void>;

/** A proxy in front of Ironic that records requests and injects faults. */
export const createProxy = (upstream: URL, keep: (request: Recorded) => void): ProxyHandler => {
  const forward = createForwarder(upstream);
  const faults = createFaults();
  let forgotten = Promise.withResolvers<void>();
  let requests: Recorded[] = [];

  const control = async (
    method: string,
    path: string,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<void> => {
    switch (`${method} ${path}`) {
      case 'GET /_recorded/summary':
        return answer(outgoing, 200, summarize(requests));
      case 'GET /_recorded':
        return answer(outgoing, 200, requests);
      case 'DELETE /_recorded':
        requests = [];
        return answer(outgoing, 204);
      case 'GET /_faults':
        return answer(outgoing, 200, faults.list());
      case 'DELETE /_faults':
        faults.clear();
        forgotten.resolve();
        forgotten = Promise.withResolvers<void>();
        return answer(outgoing, 204);
      case 'POST /_faults': {
        const fault = faultSchema.safeParse(await json(incoming));
        if (!fault.success) return answer(outgoing, 400, { error: z.prettifyError(fault.error) });
        faults.add(fault.data);
        return answer(outgoing, 201, fault.data);
      }
      default:
        return answer(outgoing, 404, { error: `the proxy has no ${method} ${path}` });
    }
  };

  const serve = async (
    fault: Fault | undefined,
    peek: boolean,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
  ): Promise<Pick<Recorded, 'status' | 'target' | 'image' | 'injected'>> => {
    // The body is read at once: Ironic gets a delayed request although its client has ended meanwhile.
    const body = fault?.delayMs === undefined && fault?.hold !== true ? undefined : await buffer(incoming);
    if (fault?.delayMs !== undefined) await delay(fault.delayMs);
    if (fault?.hold === true) await forgotten.promise;
    if (fault?.drop === 'before') {
      incoming.socket.destroy();
      return { status: 0, injected: true };
    }
    if (fault?.status !== undefined) {
      incoming.resume();
      if (fault.page) sendPage(outgoing, fault.status, fault.message);
      else answer(outgoing, fault.status, ironicError(fault.message));
      return { status: fault.status, injected: true };
    }
    return forward({
      incoming,
      outgoing,
      peek,
      answerIsLost: fault?.drop === 'after',
      ...(body !== undefined && { body }),
    });
  };

  return async (incoming, outgoing) => {
    const { method = 'GET', url: path = '/' } = incoming;
    if (path.startsWith('/_')) return control(method, path, incoming, outgoing);
    const at = new Date();
    const kind = kindOf(method, path);
    const node = nodeOf(path);
    const peek = kind === 'provision' || kind === 'power' || kind === 'change node';
    const served = await serve(faults.take(method, path), peek, incoming, outgoing).catch((error: unknown) => {
      if (!outgoing.headersSent) answer(outgoing, 502, ironicError(`Ironic does not answer: ${String(error)}`));
      return { status: 502 };
    });
    const milliseconds = Date.now() - at.getTime();
    const request = { at: at.toISOString(), method, path, kind, ...(node ? { node } : {}), ...served, milliseconds };
    requests.push(request);
    keep(request);
  };
};
