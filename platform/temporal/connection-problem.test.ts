import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { ServiceError } from '@temporalio/client';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { plainAccess } from '../../test/builders/plain-access.ts';
import { selfSigned } from '../tls/certificates.ts';
import type { TemporalAccess } from './access/access.ts';
import { connectClient, connectWorker } from './clients.ts';
import { outageInWords, unreachable } from './connection-problem.ts';

/** RFC 6761: nobody resolves it. */
const NAMELESS = 'temporal.invalid:7233';

const withTls = (address: string): TemporalAccess => ({
  ...plainAccess(address, 'default'),
  credentials: { tls: { serverName: undefined, ca: undefined, client: undefined }, apiKey: undefined },
});

/** An address at which nobody listens any more. */
async function aClosedAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return `127.0.0.1:${port}`;
}

/** What the log says of the first attempt. */
async function firstProblem(connect: typeof connectClient | typeof connectWorker, address: string): Promise<string> {
  const stop = new AbortController();
  let first: string | undefined;
  const write = (line: string): void => {
    first ??= (JSON.parse(line) as { readonly error: string }).error;
    stop.abort();
  };
  await expect(connect(plainAccess(address, 'default'), pino({}, { write }), stop.signal)).rejects.toThrow('aborted');
  return first ?? '';
}

test.each([
  ['client', connectClient],
  ['workers', connectWorker],
] as const)('the log of the %s names the address, and says when its name does not resolve', async (_, connect) => {
  expect(await firstProblem(connect, NAMELESS)).toMatch(
    /^connecting to Temporal at temporal\.invalid:7233: the name temporal\.invalid does not resolve \(getaddrinfo E/,
  );
});

test('a server that does not listen is the reason', async () => {
  const closed = await aClosedAddress();
  expect(await firstProblem(connectWorker, closed)).toBe(
    `connecting to Temporal at ${closed}: connect ECONNREFUSED ${closed}`,
  );
});

test('an address without a port is that of the SDK, and one of IPv6 has brackets', async () => {
  const passed = new Error('Failed to connect before the deadline');
  const reasons = [];
  for (const address of ['127.0.0.9', '[::1]:1']) reasons.push(await unreachable(plainAccess(address, 'n'), passed));
  expect(reasons.map(String)).toEqual([
    expect.stringMatching(/^Error: connecting to Temporal at 127\.0\.0\.9: connect ECONNREFUSED 127\.0\.0\.9:7233$/),
    expect.stringMatching(/^Error: connecting to Temporal at \[::1\]:1: connect E\w+ ::1:1\b/),
  ]);
});

test('a certificate that is not trusted is the reason, in the words of OpenSSL', async () => {
  const server = createTlsServer(await selfSigned(['localhost'])).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const error = await unreachable(withTls(`localhost:${port}`), new Error('Failed to connect before the deadline'));
  expect(String(error)).toContain(`connecting to Temporal at localhost:${port}: self-signed certificate`);
  server.close();
});

test('a server that accepts connections and answers nothing is told as that', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const access = plainAccess(address, 'n');
  const passed = new Error('Failed to connect before the deadline');
  expect(await unreachable(access, passed)).toMatchObject({
    message: `connecting to Temporal at ${address}: it accepts connections, and answers nothing`,
    where: address,
  });
  const late = Object.assign(new Error('4 DEADLINE_EXCEEDED'), { code: 4, details: '', metadata: {} });
  expect(await outageInWords(access, new ServiceError('Failed to query Workflow', { cause: late }))).toBe(
    `Temporal at ${address} does not answer: it accepts connections, and answers nothing`,
  );
  server.close();
});

test('what Temporal itself answers is the reason where a connection can be made', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const cause = new Error('7 PERMISSION_DENIED: Request unauthorized.');
  const error = await unreachable(plainAccess(address, 'n'), new Error('Failed to connect', { cause }));
  expect(String(error)).toBe(
    `Error: connecting to Temporal at ${address}: Failed to connect: 7 PERMISSION_DENIED: Request unauthorized.`,
  );
  server.close();
});

test('a malformed address is an error of its own, which is not tried again', async () => {
  const connecting = connectClient(plainAccess('https://temporal:7233', 'n'), pino({ level: 'silent' }));
  await expect(connecting).rejects.toThrow(/https:\/\/temporal:7233/);
});
