import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { aPermit } from '../../../test/builders/permits.ts';
import { type ScriptedIronic, scriptIronic } from '../../../test/builders/scripted-ironic.ts';
import { ironicClientOf } from './client.ts';
import type { ConnectionDetails } from './connection.ts';
import { followedSource } from './connection-source.ts';

const NONE = { status: 200, body: { nodes: [] } };

let servers: ScriptedIronic[];
beforeEach(async () => {
  servers = [await scriptIronic(NONE), await scriptIronic(NONE)];
});
afterEach(() => Promise.all(servers.map((server) => server.close())));

/** A client that uses the connections in `told`, with a clock that only the test moves. */
function scene(first: ConnectionDetails, ttlMs: number) {
  const state = { told: first, now: 0, looks: 0 };
  const find = async (): Promise<ConnectionDetails> => {
    state.looks += 1;
    return state.told;
  };
  return {
    state,
    client: ironicClientOf(
      followedSource(find, ttlMs, () => state.now),
      { pausesMs: [] },
    ),
  };
}
const at = (server: ScriptedIronic | undefined, password: string): ConnectionDetails => ({
  endpoint: server?.endpoint ?? '',
  login: { username: 'temper', password },
});

describe('an Ironic that is found through an Ironic object', () => {
  test('is looked for when what is known of it has grown old, and not before', async () => {
    const { state, client } = scene(at(servers[0], 'a'), 5_000);
    await client.listNodes();
    await client.listNodes();
    expect(state.looks).toBe(1);
    state.now = 5_000;
    await client.listNodes();
    expect(state.looks).toBe(2);
    await client.close();
  });

  test('is gone after where it has moved, with the login it takes by then', async () => {
    const { state, client } = scene(at(servers[0], 'a'), 5_000);
    await client.listNodes();
    state.told = at(servers[1], 'b');
    state.now = 5_000;
    await client.listNodes();
    expect(servers.map(({ requests }) => requests.length)).toEqual([1, 1]);
    const logins = servers.map(({ headers }) => headers[0]?.authorization);
    expect(logins).toEqual([`Basic ${btoa('temper:a')}`, `Basic ${btoa('temper:b')}`]);
    await client.close();
  });

  test('is looked for before reads alone: a change goes where the reads before it went, and waits for nothing', async () => {
    const { state, client } = scene(at(servers[0], 'a'), 5_000);
    await client.version();
    await client.getNode('n').catch(() => undefined);
    const looks = state.looks;
    state.told = at(servers[1], 'b');
    state.now = 5_000;
    await client.deleteNode('n', { permit: await aPermit() });
    expect(state.looks).toBe(looks);
    expect(servers[0]?.requests.at(-1)).toBe('DELETE /v1/nodes/n');
    await client.close();
  });

  test('is looked up again after a lookup failed', async () => {
    let known = false;
    const find = (): Promise<ConnectionDetails> =>
      known ? Promise.resolve(at(servers[0], 'a')) : Promise.reject(new Error('not ready'));
    const client = ironicClientOf(followedSource(find, 5_000), { pausesMs: [] });
    await expect(client.listNodes()).rejects.toThrow('not ready');
    known = true;
    expect(await client.listNodes()).toEqual([]);
    await client.close();
  });
});
