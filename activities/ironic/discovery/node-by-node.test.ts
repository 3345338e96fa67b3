import { expect, test } from 'vitest';
import { KubeError } from '../../../kube/client.ts';
import { createIronicClient } from '../client/client.ts';
import { IronicError } from '../client/errors.ts';
import { type FailingNodes, nodeByNode } from './node-by-node.ts';

type Work = () => Promise<void>;

const never = new AbortController().signal;
const failing =
  (error: Error): Work =>
  async () => {
    throw error;
  };
const fails = failing(new Error('Ironic answered 500'));
const works: Work = async () => undefined;

/** The failures of one turn over nodes `a`, `b`, …; `before`: what the turns before have left. */
async function turn(all: readonly Work[], before: FailingNodes = new Map()): Promise<readonly (string | undefined)[]> {
  const { perform } = nodeByNode(never, before);
  const failures: (string | undefined)[] = [];
  for (const [at, work] of all.entries()) failures.push(await perform('abcdefg'.charAt(at), work));
  return failures;
}

test('a node that fails keeps no other waiting, and is named with its error', async () => {
  expect(await turn([fails, works])).toEqual(['Ironic answered 500', undefined]);
});

test('three nodes that fail in a row end the turn', async () => {
  await expect(turn([fails, fails, fails, works])).rejects.toThrow('Ironic answered 500');
});

test('nodes that fail between others do not', async () => {
  const failures = await turn([fails, fails, works, fails, fails]);
  expect(failures.filter((failure) => failure !== undefined)).toHaveLength(4);
});

test('three neighbours that always fail end one turn, and keep no other waiting after that', async () => {
  const before: FailingNodes = new Map();
  const all = [fails, fails, fails, works];
  await expect(turn(all, before)).rejects.toThrow('Ironic answered 500');
  const failed = 'Ironic answered 500';
  expect(await turn(all, before)).toEqual([failed, failed, failed, undefined]);
  // They work, and fail anew.
  await turn([works, works, works], before);
  await turn([works, works, works], before);
  await expect(turn(all, before)).rejects.toThrow('Ironic answered 500');
});

test('a hundred nodes that always fail get few attempts a turn, and none is forgotten', async () => {
  const before: FailingNodes = new Map();
  const attempts = new Map<string, number>();
  let most = 0;
  for (let at = 0; at < 500; at += 1) {
    let inTurn = 0;
    const { perform } = nodeByNode(never, before);
    try {
      for (let node = 0; node < 100; node += 1) {
        await perform(`${node}`, async () => {
          inTurn += 1;
          attempts.set(`${node}`, (attempts.get(`${node}`) ?? 0) + 1);
          await fails();
        });
      }
    } catch {
      // Three new ones have failed in a row.
    }
    most = Math.max(most, inTurn);
  }
  expect(most).toBeLessThan(25);
  expect(attempts.size).toBe(100);
  expect(Math.min(...attempts.values())).toBeGreaterThan(10);
});

test('a refusal by Ironic shows that Ironic answers', async () => {
  const refused = failing(new IronicError({ type: 'IronicRefused', status: 400, message: 'not in this state' }));
  expect(await turn([fails, fails, refused, fails, fails, works])).toHaveLength(6);
});

test.each([
  ['the API server', new KubeError('deleting it', 403, { message: 'a policy forbids it' }), 'a policy forbids it'],
  [
    'Ironic',
    new IronicError({ type: 'IronicRefused', status: 400, message: 'not in this state' }),
    'not in this state',
  ],
])('refusals by %s say nothing about other nodes, however many there are', async (_, error, message) => {
  const refused = failing(error);
  const failures = await turn([refused, refused, refused, refused, works]);
  expect(failures.slice(0, 4).every((failure) => failure?.includes(message))).toBe(true);
  expect(failures[4]).toBeUndefined();
});

test('the first node that does not reach Ironic ends the turn, because no other would', async () => {
  const client = await createIronicClient({ endpoint: 'http://127.0.0.1:1/v1/', pausesMs: [] });
  try {
    const work = async (): Promise<void> => void (await client.inventory('a', { signal: never }));
    await expect(nodeByNode(never, new Map()).perform('a', work)).rejects.toThrow('no answer from Ironic');
  } finally {
    await client.close();
  }
});

test('the end of the bridge is no failure of a node', async () => {
  const ended = new AbortController();
  ended.abort(new Error('the bridge ends'));
  const { perform } = nodeByNode(ended.signal, new Map());
  await expect(perform('a', async () => ended.signal.throwIfAborted())).rejects.toThrow('the bridge ends');
});
