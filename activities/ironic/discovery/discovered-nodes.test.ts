import { afterEach, describe, expect, test } from 'vitest';
import { type Answer, aNodeAnswer, fault, scriptIronic } from '../../../test/builders/scripted-ironic.ts';
import { createIronicClient } from '../client/client.ts';
import { createDiscoveredNodes } from './discovered-nodes.ts';

/** Cases that a real Ironic shows only for a moment. */
const NOON = '2026-05-01T12:00:00+00:00';
const LATER = Date.parse(NOON) + 3_600_000;
const never = new AbortController().signal;

let open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.toReversed()) await each.close();
  open = [];
});

async function discovered(answers: readonly Answer[], now = LATER) {
  const ironic = await scriptIronic(...answers);
  const client = await createIronicClient({ endpoint: ironic.endpoint, pausesMs: [] });
  open.push(ironic, client);
  return { ironic, nodes: createDiscoveredNodes(client, () => now), listed: () => client.listNodes() };
}

const ok = (body: unknown): Answer => ({ status: 200, body });
const enrolled = (uuid: string, more: object = {}): object => ({
  uuid,
  name: null,
  provision_state: 'enroll',
  ...more,
});
const created: Answer = { status: 200, body: { created_at: NOON } };
const list = (...nodes: readonly object[]): Answer => ok({ nodes });
const inventory = (more: object = {}, plugin_data: object = { auto_discovered: true }): Answer =>
  ok({ inventory: { interfaces: [{ name: 'eth0', mac_address: '52:54:00:00:00:01' }], ...more }, plugin_data });
const ports = (...owners: readonly string[]): Answer =>
  ok({ ports: owners.map((node_uuid) => ({ uuid: 'p', address: '52:54:00:00:00:01', node_uuid })) });
const none: Answer = { status: 404, body: fault('no inventory') };
const history = (...events: readonly string[]): Answer =>
  ok({ history: events.map((event) => ({ event, severity: 'ERROR', created_at: NOON })) });
const isOfNone = (): boolean => false;

describe('the nodes that Ironic has enrolled by itself', () => {
  test('are those without a name that have an inventory of such a call', async () => {
    const { nodes, listed, ironic } = await discovered([
      list(
        enrolled('a'),
        enrolled('named', { name: 'x' }),
        enrolled('busy', { reservation: 'lab' }),
        enrolled('taken'),
        enrolled('used', { provision_state: 'active' }),
      ),
      created,
      inventory(),
      ports('a'),
    ]);
    const found = await nodes.look(await listed(), (id) => id === 'taken', never);
    expect(found).toMatchObject([
      {
        kind: 'machine',
        machine: { nodeId: 'a', calledAt: Date.parse(NOON), bootMac: '52:54:00:00:00:01', portOwners: [] },
      },
    ]);
    expect(ironic.requests.map((request) => request.replace(/[?].*/, ''))).toEqual([
      'GET /v1/nodes',
      'GET /v1/nodes/a',
      'GET /v1/nodes/a/inventory',
      'GET /v1/nodes/a/ports',
    ]);
    expect(ironic.requests[0]).toContain('&sort_key=id');
  });

  test('tell whose ports their addresses have', async () => {
    const { nodes, listed } = await discovered([list(enrolled('a')), created, inventory(), ports(), ports('b', 'b')]);
    expect(await nodes.look(await listed(), isOfNone, never)).toMatchObject([{ machine: { portOwners: ['b'] } }]);
  });

  test.each([
    ['that somebody else has enrolled', [none, history()], {}],
    ['that somebody has inspected', [inventory({}, {})], {}],
    ['that failed otherwise', [none, history()], { last_error: 'Failed to change power state' }],
  ])('are none %s', async (_, answers, more) => {
    const { nodes, listed } = await discovered([list(enrolled('a', more)), created, ...answers]);
    expect(await nodes.look(await listed(), isOfNone, never)).toEqual([]);
  });

  test.each([
    ['Ironic could not use its inventory', [none], { last_error: 'Failed to finish inspection: no interfaces' }],
    [
      'Ironic could not use its inventory',
      [none],
      { last_error: 'Async execution of continue_inspection failed with error: no CPU architecture' },
    ],
    ['Ironic could not use its inventory', [none, history('Failed to finish inspection: x')], { last_error: 'other' }],
    ['Ironic could not use its inventory', [none, history('Failed to finish inspection: no interfaces')], {}],
    ['its inventory has no valid MAC address', [inventory({ interfaces: [] })], {}],
  ])('are useless when %s', async (reason, answers, more) => {
    const { nodes, listed } = await discovered([list(enrolled('a', more)), created, ...answers]);
    expect(await nodes.look(await listed(), isOfNone, never)).toEqual([{ kind: 'useless', nodeId: 'a', reason }]);
  });

  test('are read once, until they are gone', async () => {
    const { nodes, listed, ironic } = await discovered([
      list(enrolled('a'), enrolled('b')),
      created,
      inventory(),
      ports('a'),
      created,
      none,
      history(),
      list(enrolled('a'), enrolled('b')),
      list(),
    ]);
    for (const requests of [7, 8, 9]) {
      await nodes.look(await listed(), isOfNone, never);
      expect(ironic.requests).toHaveLength(requests);
    }
    expect(nodes.size).toBe(0);
  });

  const broken: Answer = { status: 500, body: fault('the inventory cannot be read') };

  test('are found also when Ironic cannot describe one, which is tried again in the next turn', async () => {
    const { nodes, listed } = await discovered([
      list(enrolled('a'), enrolled('b')),
      created,
      broken,
      created,
      inventory(),
      ports('b'),
      list(enrolled('a'), enrolled('b')),
      created,
      inventory(),
      ports('a'),
    ]);
    const reason: unknown = expect.stringContaining('the inventory cannot be read');
    expect(await nodes.look(await listed(), isOfNone, never)).toMatchObject([
      { kind: 'unread', nodeId: 'a', reason },
      { machine: { nodeId: 'b' } },
    ]);
    expect(await nodes.look(await listed(), isOfNone, never)).toMatchObject([
      { machine: { nodeId: 'a' } },
      { machine: { nodeId: 'b' } },
    ]);
  });

  test('are not asked for any more after three failures in a row', async () => {
    const many = ['a', 'b', 'c', 'd'].map((uuid) => enrolled(uuid));
    const { nodes, listed } = await discovered([list(...many), broken, broken, broken]);
    await expect(nodes.look(await listed(), isOfNone, never)).rejects.toThrow('the inventory cannot be read');
  });

  test('that are young are read again while they have no inventory', async () => {
    const { nodes, listed } = await discovered(
      [list(enrolled('a')), created, none, history(), list(enrolled('a')), inventory(), ports('a')],
      Date.parse(NOON),
    );
    expect(await nodes.look(await listed(), isOfNone, never)).toEqual([]);
    expect(await nodes.look(await listed(), isOfNone, never)).toMatchObject([{ machine: { nodeId: 'a' } }]);
  });

  test('are looked at two hundred at a time, the oldest first', async () => {
    const many = Array.from({ length: 250 }, (_, at) => enrolled(`n${at}`));
    const answers = Array.from({ length: 200 }, () => [created, none, history()]).flat();
    const { nodes, listed, ironic } = await discovered([list(...many), ...answers]);
    await nodes.look(await listed(), isOfNone, never);
    expect(ironic.requests).toHaveLength(601);
    expect(ironic.requests.at(-2)).toBe('GET /v1/nodes/n199/inventory');
    expect(nodes.size).toBe(200);
  });
});

describe('the removal of a node', () => {
  const aNode = (more: object): Answer =>
    ok(aNodeAnswer({ uuid: 'a', name: null, provision_state: 'enroll', ...more }));
  const DELETED = 'DELETE /v1/nodes/a';

  test('deletes it', async () => {
    const { nodes, ironic } = await discovered([aNode({}), { status: 204 }]);
    expect(await nodes.remove('a', never)).toBe(true);
    expect(ironic.requests).toContain(DELETED);
  });

  test.each([
    ['a host has taken it since', { name: 'metal~host-1' }],
    ['it is being verified', { provision_state: 'verifying' }],
    ['Ironic works on it', { reservation: 'lab' }],
  ])('does nothing when %s', async (_, more) => {
    const { nodes, ironic } = await discovered([aNode(more)]);
    expect(await nodes.remove('a', never)).toBe(false);
    expect(ironic.requests).not.toContain(DELETED);
  });

  test('leaves it to the next turn when Ironic has locked it in the meantime', async () => {
    const locked: Answer = { status: 409, body: fault('Node a is locked by host lab') };
    const { nodes } = await discovered([aNode({}), locked]);
    expect(await nodes.remove('a', never)).toBe(false);
  });

  test('of one that is gone is done', async () => {
    const { nodes } = await discovered(['gone']);
    expect(await nodes.remove('a', never)).toBe(true);
  });
});
