import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, describe, expect, test } from 'vitest';
import type { IronicNode } from '../../../domain/ironic/node/node.ts';
import { aNodeState } from '../../../test/builders/node.ts';
import { type Answer, aNodeAnswer, type ScriptedIronic, scriptIronic } from '../../../test/builders/scripted-ironic.ts';
import { createIronicClient } from '../client/client.ts';
import { createNodePoller, type NodePoller, type PollerOptions, pauseBefore } from './poller.ts';

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

interface Polling {
  readonly ironic: ScriptedIronic;
  readonly poller: NodePoller;
  readonly logs: string[];
  /** Whether the process became away or came back, in order. */
  readonly away: boolean[];
}

const poll = (...answers: readonly Answer[]): Promise<Polling> => pollFor(answers);

async function pollFor(answers: readonly Answer[], more: Partial<PollerOptions> = {}): Promise<Polling> {
  const ironic = await scriptIronic(...answers);
  const client = await createIronicClient({ endpoint: ironic.endpoint, pausesMs: [] });
  const logs: string[] = [];
  const away: boolean[] = [];
  const note = (_: object, message: string): void => void logs.push(message);
  const poller = createNodePoller({
    listNodes: (signal) => client.listNodes(signal),
    intervalMs: 5,
    log: { info: note, warn: note },
    onAway: (isAway) => void away.push(isAway),
    ...more,
  });
  open.push(
    () => ironic.close(),
    () => client.close(),
    () => poller.close(),
  );
  return { ironic, poller, logs, away };
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
    await poller.waitFor('n0', anything, forever);
    for (let at = 0; at < 2_000; at++) poller.changed(`n${at}`);
    expect(sizesOf(poller)).toEqual({ node_waits: 0, changed_nodes: 2_000, listed_nodes: 2 });
    await expect.poll(() => sizesOf(poller)).toEqual(NOTHING);
    await expect(poller.waitFor('n1', anything, forever)).resolves.toMatchObject({ state: 'active' });
    expect(ironic.requests).toHaveLength(2);
  });
});

describe('without a list for longer than its patience', () => {
  /** A minute passes with each look at the clock, of which there are two for each list. */
  const aMinuteEach = (): (() => number) => {
    let minutes = 0;
    return () => (minutes += 1) * 60_000;
  };
  const downFor = (lists: number): readonly Answer[] => [
    ...Array.from({ length: lists }, (): Answer => ({ status: 503 })),
    list('active'),
  ];

  test('the poller hands all waits back, to be repeated, once no more tasks are taken', async () => {
    const order: string[] = [];
    const { poller } = await pollFor([{ status: 503 }], {
      patienceMs: 9 * 60_000,
      now: aMinuteEach(),
      onAway: (isAway) => void order.push(isAway ? 'takes no tasks' : 'takes tasks'),
    });
    const waits = [poller.waitFor('n0', anything, forever), poller.nextList(forever)].map((wait) =>
      wait.catch((error: unknown) => {
        order.push('handed back');
        return error;
      }),
    );
    const because = /^this worker leaves the wait to others: no list of Ironic's nodes for \d+ minutes: can't list/;
    for (const wait of waits)
      expect(await wait).toMatchObject({
        type: 'IronicUnreachable',
        nonRetryable: false,
        message: expect.stringMatching(because) as unknown,
      });
    expect(order).toEqual(['takes no tasks', 'handed back', 'handed back']);
  });

  test('it takes no waits until a list succeeds, for which it goes on', async () => {
    const { poller, ironic, away } = await pollFor(downFor(8), { patienceMs: 3 * 60_000, now: aMinuteEach() });
    await expect(poller.waitFor('n0', anything, forever)).rejects.toThrow('leaves the wait to others');
    const sent = ironic.requests.length;
    expect(poller.whyAway()).toMatch(/^no list of Ironic's nodes for/);
    await expect(poller.waitFor('n0', anything, forever)).rejects.toThrow('leaves the wait to others');
    expect([sent < 8, sizesOf(poller)['node_waits']]).toEqual([true, 0]);
    await expect.poll(() => away).toEqual([true, false]);
    expect([ironic.requests.length, poller.whyAway()]).toEqual([9, undefined]);
    await expect(poller.waitFor('n0', anything, forever)).resolves.toMatchObject({ state: 'active' });
  });

  test('it learns that from a request of which it is told, although nothing waits', async () => {
    const { poller, ironic, away } = await pollFor(downFor(3), { patienceMs: 3 * 60_000, now: aMinuteEach() });
    poller.suspect();
    await expect.poll(() => away).toEqual([true, false]);
    poller.suspect();
    await expect.poll(() => ironic.requests.length).toBe(5);
    expect(away).toEqual([true, false]);
  });

  test('and not before: a short outage is waited through', async () => {
    const { poller, away } = await pollFor(downFor(3), { patienceMs: 60 * 60_000, now: aMinuteEach() });
    await expect(poller.waitFor('n0', anything, forever)).resolves.toMatchObject({ state: 'active' });
    expect(away).toEqual([]);
  });
});

const NOTHING = { node_waits: 0, changed_nodes: 0, listed_nodes: 0 };
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
