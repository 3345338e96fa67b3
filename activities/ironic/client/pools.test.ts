import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readConfig, workersConfig } from '../../../platform/config/config.ts';
import { aPermit } from '../../../test/builders/permits.ts';
import { createIronicClient } from './client.ts';
import { configuredConnection } from './configured-client.ts';

type Kind = 'list' | 'read' | 'change';

const kindOf = ({ method, url = '' }: IncomingMessage): Kind => {
  if (method !== 'GET') return 'change';
  return url.includes('/nodes?') ? 'list' : 'read';
};

const times = (count: number, send: () => Promise<unknown>): Promise<unknown>[] => Array.from({ length: count }, send);

describe('requests that are sent at once', () => {
  /** Requests without an answer, and the most that there have been, by kind. */
  let open: Record<Kind, number>;
  let most: Record<Kind, number>;
  /** The answers that wait; undefined: each request is answered at once. */
  let held: ((answer: unknown) => void)[] | undefined;
  let server: Server;
  let endpoint: string;

  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    outgoing.setHeader('content-type', 'application/json');
    if (['/v1', '/v1/', '/v1/drivers'].includes(incoming.url ?? '')) {
      outgoing.end(JSON.stringify({ drivers: [{ name: 'redfish' }], version: { version: '1.110' } }));
      return;
    }
    const kind = kindOf(incoming);
    open[kind] += 1;
    most[kind] = Math.max(most[kind], open[kind]);
    if (held !== undefined) await new Promise((resolve) => held?.push(resolve));
    open[kind] -= 1;
    outgoing.end(JSON.stringify({ nodes: [], ports: [] }));
  };

  beforeAll(async () => {
    server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  });

  beforeEach(() => {
    open = { list: 0, read: 0, change: 0 };
    most = { ...open };
    held = [];
  });

  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  test.each([
    ['three changes', {}, 3],
    ['as many changes as IRONIC_CONCURRENT_CHANGES says', { IRONIC_CONCURRENT_CHANGES: '5' }, 5],
  ])('are %s, four reads and one list: none queues behind another kind', async (_, settings, changes) => {
    const connection = configuredConnection(readConfig(workersConfig, { IRONIC_ENDPOINT: endpoint, ...settings }));
    const client = await createIronicClient({ ...connection, endpoint, pausesMs: [] });
    await client.version();

    const sent = [
      ...times(10, () =>
        client.places.within({ urgency: 'usual', namespace: 'metal' }, async () =>
          client.deleteNode('a', { permit: await aPermit() }),
        ),
      ),
      ...times(10, () => client.portsOfNode('a')),
      ...times(2, () => client.listNodes()),
    ];
    const expected = { change: changes, read: 4, list: 1 };
    await expect.poll(() => held?.length, { timeout: 10_000 }).toBe(changes + 5);
    expect(open).toEqual(expected);
    const waiting = held ?? [];
    held = undefined;
    for (const goOn of waiting) goOn(undefined);
    await Promise.all(sent);
    expect(most).toEqual(expected);
    await client.close();
  });
});
