import { createSocket } from 'node:dgram';
import dns from 'node:dns';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { aBusyTemporal } from '../../test/builders/busy-temporal.ts';
import { connectTemporal } from './connection.ts';

test('a call that waits for its next try ends when its connection is closed', async () => {
  const server = await aBusyTemporal();
  const connection = await connectTemporal({ address: server.address });
  const ended = Promise.allSettled([connection.workflowService.getClusterInfo({})]);
  await server.asked;
  await connection.close();
  const [{ status }] = await ended;
  expect(status).toBe('rejected');
  server.close();
});

/** A DNS server that answers nothing, and keeps what it was asked. */
async function aSilentDns(): Promise<{ readonly address: string; readonly asked: readonly string[]; close(): void }> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (message) => void asked.push(message.toString('latin1')));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => void socket.close() };
}

test('a connection asks DNS for nothing but addresses: where no server answers, a command would not end', async () => {
  const silent = await aSilentDns();
  const servers = dns.getServers();
  dns.setServers([silent.address]);
  const server = await aBusyTemporal();
  const connection = await connectTemporal({ address: server.address.replace('127.0.0.1', 'localhost') });
  // Questions arrive in their order.
  const last = dns.promises.resolveTxt('last.example').catch(() => undefined);
  await expect.poll(() => silent.asked.join('\n')).toContain('last');
  expect(silent.asked.filter((question) => !question.includes('last'))).toEqual([]);
  silent.close();
  dns.setServers(servers);
  await connection.close();
  server.close();
  await last;
});
