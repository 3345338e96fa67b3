import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, describe, expect, test } from 'vitest';
import type { IronicNode } from '../../../domain/ironic/node/node.ts';
import type { NodeStateJson } from '../../../domain/ironic/node/node-json.ts';
import { aNodeState } from '../../../test/builders/node.ts';
import { type Answer, aNodeAnswer, type ScriptedIronic, scriptIronic } from '../../../test/builders/scripted-ironic.ts';
import { createIronicClient } from '../client/client.ts';
import { createNodePoller, type NodePoller, pauseBefore } from './poller.ts';

let open: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const close of open.toReversed()) await close();
  open = [];
});

const forever = new AbortController().signal;
const list = (...states: string[]): Answer => ({
  status: 200,
  body: { nodes: states.map((provision_state, index) => aNodeAnswer({ uuid: `n${index}`, provision_state })) },
});
const inState =
  (state: string) =>
  (node: IronicNode | null): boolean =>
    node?.state === state;
const anything = (): boolean => true;

async function poll(
  ...answers: readonly Answer[]
): Promise<{ ironic: ScriptedIronic; poller: NodePoller; logs: string[] }> {
  const ironic = await scriptIronic(...answers);
  const client = await createIronicClient({ endpoint: ironic.endpoint, pausesMs: [] });
  const logs: string[] = [];
  const note = (_: object, message: string): void => void logs.push(message);
  const poller = createNodePoller({
    listNodes: (signal) => client.listNodes(signal),
    intervalMs: 5,
    log: { info: note, warn: note },
  });
  open.push(
    () => ironic.close(),
    () => client.close(),
    () => poller.close(),
  );
  return { ironic, poller, logs };
}

describe('the poller', () => {
  test('sends no request while nothing waits', async () => {
    const { ironic, poller } = await poll(list('manageable'));
    await poller.waitFor('n0', anything, forever);
    expect(ironic.requests).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(ironic.requests).toHaveLength(1);
  });

  test('lists outside of the activity that waits first, whose logs and traces it would be in for ever', async () => {
    const activity = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const poller = createNodePoller({
      listNodes: async () => {
        seen.push(activity.getStore());
        return [];
      },
      intervalMs: 5,
      log: { info: () => undefined, warn: () => undefined },
    });
    open.push(() => poller.close());
    await activity.run('the first', () => poller.waitFor('n0', anything, forever));
    expect(seen).toEqual([undefined]);
  });

  test('serves all waiting calls with one list', async () => {
    const { ironic, poller } = await poll(list('manageable', 'active', 'available'));
    const found = await Promise.all(['n0', 'n1', 'n2'].map((id) => poller.waitFor(id, anything, forever)));
    expect(found.map((node) => node?.state)).toEqual(['manageable', 'active', 'available']);
    expect(ironic.requests).toHaveLength(1);
  });

  test('waits on until the node is as wished', async () => {
    const { ironic, poller } = await poll(list('cleaning'), list('cleaning'), list('available'));
    await poller.waitFor('n0', inState('available'), forever);
    expect(ironic.requests).toHaveLength(3);
  });

  test('says when Ironic does not know the node', async () => {
    const { poller } = await poll(list('manageable'));
    await expect(poller.waitFor('other', anything, forever)).resolves.toBeNull();
  });

  test('survives an outage and logs it once', async () => {
    const { poller, logs } = await poll('cut', { status: 500 }, 'cut', list('active'));
    await expect(poller.waitFor('n0', anything, forever)).resolves.toMatchObject({ state: 'active' });
    expect(logs).toEqual([
      'listing the nodes of Ironic fails, waiting for it',
      'listing the nodes of Ironic works again',
    ]);
  });

  test('ends a cancelled wait at once and with its reason', async () => {
    const { poller } = await poll('silence');
    const caller = new AbortController();
    const waiting = poller.waitFor('n0', anything, caller.signal);
    caller.abort(new Error('change of mind'));
    await expect(waiting).rejects.toThrow('change of mind');
  });

  test('ends all waits when it closes', async () => {
    const { poller } = await poll('silence');
    const waiting = poller.waitFor('n0', anything, forever);
    poller.close();
    await expect(waiting).rejects.toThrow('shutting down');
  });

  test('shows no caller a list that began before its call', async () => {
    const lists = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
    let asked = 0;
    const poller = createNodePoller({
      listNodes: async () => [aNodeState({ uuid: 'n0', provision_state: (await lists[asked++]?.promise) ?? '' })],
      intervalMs: 1,
      log: { info() {}, warn() {} },
    });
    open.push(() => poller.close());
    const first = poller.waitFor('n0', anything, forever);
    await expect.poll(() => asked).toBe(1);
    const late = poller.waitFor('n0', anything, forever);
    lists[0]?.resolve('manageable');
    lists[1]?.resolve('inspecting');
    await expect(first).resolves.toMatchObject({ state: 'manageable' });
    await expect(late).resolves.toMatchObject({ state: 'inspecting' });
  });

  test('shows the complete next list, and shares its request with calls that wait for a node', async () => {
    const { ironic, poller } = await poll(list('cleaning', 'active'));
    const [nodes] = await Promise.all([poller.nextList(forever), poller.waitFor('n1', anything, forever)]);
    expect(nodes.map(({ provision_state }) => provision_state)).toEqual(['cleaning', 'active']);
    expect(ironic.requests).toHaveLength(1);
  });

  test('remembers the node of a list until the node is changed', async () => {
    const { poller } = await poll(list('manageable', 'active'));
    await poller.waitFor('n0', anything, forever);
    poller.changed('n0');
    expect([poller.recent('n0'), poller.recent('n1')?.state]).toEqual([undefined, 'active']);
    await poller.waitFor('n0', anything, forever);
    expect(poller.recent('n0')?.state).toBe('manageable');
  });

  test('keeps nothing of nodes a moment after the last call, and lists them again for the next one', async () => {
    const { ironic, poller } = await poll(list('manageable', 'active'));
    const [[node], first] = await Promise.all([poller.nextList(forever), poller.waitFor('n0', anything, forever)]);
    expect(first).toMatchObject({ id: node?.uuid });
    for (let at = 0; at < 2_000; at++) {
      poller.changed(`n${at}`);
      poller.saw({ ...node, uuid: `n${at}` } as NodeStateJson, performance.now());
    }
    expect(sizesOf(poller)).toEqual({ node_waits: 0, changed_nodes: 2_000, nodes_looked_at: 2_000, listed_nodes: 2 });
    await expect.poll(() => sizesOf(poller)).toEqual(NOTHING);
    await expect(poller.waitFor('n1', anything, forever)).resolves.toMatchObject({ state: 'active' });
    expect(ironic.requests).toHaveLength(2);
  });
});

const NOTHING = { node_waits: 0, changed_nodes: 0, nodes_looked_at: 0, listed_nodes: 0 };
const sizesOf = ({ kept }: NodePoller): Record<string, number> =>
  Object.fromEntries(Object.entries(kept).map(([what, size]) => [what, size()]));

describe('the pause between two lists', () => {
  test('is as configured, and half of it while only few wait', () => {
    expect(pauseBefore({ intervalMs: 1_000, waiting: 20, lastTook: 10 })).toBe(1_000);
    expect(pauseBefore({ intervalMs: 1_000, waiting: 3, lastTook: 10 })).toBe(500);
  });
  test('grows with what a list takes, so that lists never are most of what Ironic does', () => {
    expect(pauseBefore({ intervalMs: 1_000, waiting: 2_000, lastTook: 3_000 })).toBe(12_000);
  });
});
