import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createIronicClient } from './client.ts';

type Kind = 'list' | 'read' | 'change';

const kindOf = ({ method, url = '' }: IncomingMessage): Kind => {
  if (method !== 'GET') return 'change';
  return url.includes('/nodes?') ? 'list' : 'read';
};

describe('requests that are sent at once', () => {
  /** Requests without an answer, and the most that there have been, by kind. */
  const open = { list: 0, read: 0, change: 0 };
  const most = { ...open };
  let held: ((answer: unknown) => void)[] | undefined = [];
  let server: Server;
  let endpoint: string;

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = incoming.url === '/v1/drivers' ? { drivers: [{ name: 'redfish' }] } : { nodes: [], ports: [] };
    outgoing.setHeader('content-type', 'application/json');
    if (['/v1', '/v1/', '/v1/drivers'].includes(incoming.url ?? '')) {
      outgoing.end(JSON.stringify({ ...body, version: { version: '1.110' } }));
      return;
    }
    const kind = kindOf(incoming);
    open[kind] += 1;
    most[kind] = Math.max(most[kind], open[kind]);
    if (held !== undefined) await new Promise((resolve) => held?.push(resolve));
    open[kind] -= 1;
    outgoing.end(JSON.stringify(body));
  };

  beforeAll(async () => {
    server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test('are three changes, four reads and one list: none of them queues behind another kind', async () => {
    const client = await createIronicClient({ endpoint, pausesMs: [] });
    await client.version();
    const times = (count: number, send: () => Promise<unknown>): Promise<unknown>[] =>
      Array.from({ length: count }, send);

    const sent = [
      ...times(10, () => client.deleteNode('a')),
      ...times(10, () => client.portsOfNode('a')),
      ...times(2, () => client.listNodes()),
    ];
    await expect.poll(() => held?.length, { timeout: 10_000 }).toBe(8);
    expect(open).toEqual({ change: 3, read: 4, list: 1 });
    const waiting = held ?? [];
    held = undefined;
    for (const goOn of waiting) goOn(undefined);
    await Promise.all(sent);
    expect(most).toEqual({ change: 3, read: 4, list: 1 });
    await client.close();
  });
});
