import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterEach, describe, expect, test } from 'vitest';
import { messageOf } from '../../../domain/message-of.ts';
import { createAuthority, DAY_MS, issueCertificate } from '../../../platform/tls/certificates.ts';
import { CONVERT_PATH, LIMITS, type Limits } from './limits.ts';
import type { Reply } from './reviews.ts';
import { serveReviews, type WebhookServer, type WebhookServerOptions } from './server.ts';

const VALIDATE = '/validate';
let server: WebhookServer;
let agent: Agent;
afterEach(async () => {
  agent.destroy();
  await server.close();
});

/** A server that answers each body with its size and length. */
async function open(limits: Partial<Limits> = {}, change: Partial<WebhookServerOptions> = {}): Promise<void> {
  const authority = await createAuthority('CN=a', DAY_MS);
  const order = { subject: 'CN=b', usages: ['serverAuth'], names: ['127.0.0.1'], lifetimeMs: DAY_MS } as const;
  server = await serveReviews({
    address: { hostname: '127.0.0.1', port: 0 },
    tls: {},
    paths: [VALIDATE, CONVERT_PATH],
    answer: (_, { bytes, size }) => ({ body: `${size} ${bytes.length}` }),
    limits: { ...LIMITS, ...limits },
    log: pino({ level: 'silent' }),
    record: () => undefined,
    ...change,
  });
  server.use(await issueCertificate(authority, order));
  agent = new Agent({ ca: authority.cert, keepAlive: true });
}

const begin = (path = VALIDATE, headers: Record<string, string> = {}, by = agent): ClientRequest =>
  request({ host: '127.0.0.1', port: server.port, agent: by, path, method: 'POST', headers });

const answered = (asked: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => void asked.once('response', resolve).once('error', reject));

async function saidTo(asked: ClientRequest): Promise<string> {
  const response = await answered(asked);
  return `${response.statusCode} ${(await text(response)).trim()}`;
}

const send = (bytes: number, path = VALIDATE, headers: Record<string, string> = {}): Promise<string> => {
  const asked = begin(path, headers);
  const said = saidTo(asked);
  asked.end(Buffer.alloc(bytes));
  return said;
};

/** Larger than the buffers between server and client. */
const large: WebhookServerOptions['answer'] = (_, { bytes }) => ({ body: 'x'.repeat(bytes.length * 300_000) });
const beginUnread = async (): Promise<IncomingMessage> => {
  const unread = begin();
  const answering = answered(unread);
  unread.end(Buffer.alloc(99));
  return answering;
};

describe('connections', () => {
  test('stay open for longer without a request than those of the API server, which closes its own after 90 s', async () => {
    await open();
    const asked = begin();
    const response = answered(asked);
    asked.end();
    const { headers } = await response;
    expect(headers['keep-alive']).toBe('timeout=120');
  });
});

describe('a body', () => {
  test.each([
    [VALIDATE, 'bytesToValidate'],
    [CONVERT_PATH, 'bytesToConvert'],
  ] as const)(
    'that is larger than its limit is refused at %s, with and without a declared length',
    async (path, limit) => {
      await open({ bytesToValidate: 2_000, bytesToConvert: 3_000 });
      const most = limit === 'bytesToValidate' ? 2_000 : 3_000;
      for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
        expect(await send(most, path, headers)).toBe(`200 small ${most}`);
        expect(await send(most + 1, path, headers)).toBe('413 the request is too large');
      }
    },
  );

  test('of 256 MB is refused before it is sent', async () => {
    await open();
    const asked = begin(CONVERT_PATH, { 'content-length': String(256 * 1024 * 1024) });
    const said = saidTo(asked);
    asked.flushHeaders();
    expect(await said).toBe('413 the request is too large');
    asked.destroy();
  });

  test('waits with other large ones until the limit, while small ones are answered', async () => {
    await open({ bytesOfSmall: 10, bytesHeld: 100 });
    const large = begin(VALIDATE, { 'content-length': '90' });
    const first = saidTo(large);
    large.write(Buffer.alloc(89));
    await expect.poll(() => send(12)).toBe('503 too many requests');
    expect(await send(10)).toBe('200 small 10');
    large.end(Buffer.alloc(1));
    expect(await first).toBe('200 large 90');
    expect(await send(100)).toBe('200 large 100');
  });

  test('that does not arrive in time is refused', async () => {
    await open({ answerMs: 200 });
    const asked = begin(VALIDATE, { 'content-length': '10' });
    const said = saidTo(asked);
    asked.write('x');
    expect(await said).toBe('408 the request took too long');
    asked.destroy();
  });

  test('that a client does not finish holds nothing, and is no mistake of the server', async () => {
    const counted: string[] = [];
    const record: WebhookServerOptions['record'] = ({ name, labels, value }) =>
      void (value === undefined && counted.push(`${name} ${labels['code'] ?? ''}`));
    await open({ bytesHeld: 100 }, { record });
    const asked = begin(VALIDATE, { 'content-length': '100' });
    asked.once('error', () => undefined).write(Buffer.alloc(99));
    await expect.poll(() => send(2)).toBe('503 too many requests');
    asked.destroy();
    await expect.poll(() => send(100)).toBe('200 small 100');
    expect(counted).toContain('controller_runtime_webhook_requests_total 408');
    expect(counted.filter((each) => each.includes('panics'))).toEqual([]);
  });
});

describe('an answer', () => {
  test('that takes too long is given up', async () => {
    const answer: WebhookServerOptions['answer'] = (_, __, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('late')), { once: true });
      });
    await open({ answerMs: 200 }, { answer });
    expect(await send(1)).toBe('503 the answer took too long');
  });

  test('counts as a body until it is there, also when the client has gone', async () => {
    const slow = Promise.withResolvers<Reply>();
    const answer: WebhookServerOptions['answer'] = (_, { bytes }) =>
      bytes.length === 99 ? slow.promise : { body: '' };
    await open({ bytesOfSmall: 10, bytesHeld: 100 }, { answer });
    const asked = begin().once('error', () => undefined);
    asked.end(Buffer.alloc(99));
    await expect.poll(() => send(12)).toBe('503 too many requests');
    asked.destroy();
    // By then the server knows that the connection is closed.
    for (let others = 0; others < 20; others += 1) await send(1);
    expect(await send(12)).toBe('503 too many requests');
    slow.resolve({ body: '' });
    await expect.poll(() => send(12)).toBe('200 ');
  });

  test('counts as a body until the client has read it', async () => {
    await open({ bytesOfSmall: 10, bytesHeld: 100 }, { answer: large });
    const response = await beginUnread();
    expect(await send(12)).toBe('503 too many requests');
    response.resume();
    await expect.poll(() => send(12)).toMatch(/^200 /);
  });

  test('that the client does not read in time is given up', async () => {
    await open({ bytesOfSmall: 10, bytesHeld: 100, answerMs: 500 }, { answer: large });
    const response = (await beginUnread()).once('error', () => undefined);
    await expect.poll(() => send(12)).toMatch(/^200 /);
    expect(response.complete).toBe(false);
  });
});

describe('a server that ends', () => {
  /** Asks again and again on a connection of its own, until an answer says that the connection ends. */
  async function askUntilEnd(): Promise<string> {
    const own = new Agent({ ca: agent.options.ca, keepAlive: true, maxSockets: 1 });
    for (;;) {
      const asked = begin(VALIDATE, {}, own);
      const response = answered(asked);
      asked.end('x');
      const { headers } = await response.then(async (each) => (await text(each), each));
      if (headers.connection === 'close') return 'ended with an answer';
    }
  }

  test('lets each connection end with an answer, however many requests come', async () => {
    await open();
    const clients = Promise.all(
      Array.from({ length: 20 }, () => askUntilEnd().catch((error: unknown) => messageOf(error))),
    );
    // All of them have a connection by then.
    for (let others = 0; others < 20; others += 1) await send(1);
    agent.destroy();
    await server.close();
    expect(new Set(await clients)).toEqual(new Set(['ended with an answer']));
  });

  test('sends the answers that it has begun to their ends', async () => {
    await open({ drainMs: 0 }, { answer: large });
    const response = await beginUnread();
    const closed = server.close();
    expect((await text(response)).length).toBe(99 * 300_000);
    await closed;
  });

  test('closes connections that nobody uses', async () => {
    await open({ drainMs: 0 });
    await send(1);
    const [connection] = Object.values(agent.freeSockets).flat();
    await server.close();
    await expect.poll(() => connection?.destroyed).toBe(true);
  });
});
