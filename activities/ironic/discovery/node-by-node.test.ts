import { expect, test } from 'vitest';
import { createIronicClient } from '../client/client.ts';
import { nodeByNode } from './node-by-node.ts';

const never = new AbortController().signal;
const fails = async (): Promise<void> => {
  throw new Error('Ironic answered 500');
};
const works = async (): Promise<void> => undefined;

test('a node that fails keeps no other waiting, and is named with its error', async () => {
  const perform = nodeByNode(never);
  expect(await perform(fails)).toBe('Ironic answered 500');
  expect(await perform(works)).toBeUndefined();
});

test('three nodes that fail in a row end the turn', async () => {
  const perform = nodeByNode(never);
  await perform(fails);
  await perform(fails);
  await expect(perform(fails)).rejects.toThrow('Ironic answered 500');
});

test('nodes that fail between others do not', async () => {
  const perform = nodeByNode(never);
  const failures: (string | undefined)[] = [];
  for (const work of [fails, fails, works, fails, fails]) failures.push(await perform(work));
  expect(failures.filter((failure) => failure !== undefined)).toHaveLength(4);
});

test('the first node that does not reach Ironic ends the turn, because no other would', async () => {
  const client = await createIronicClient({ endpoint: 'http://127.0.0.1:1/v1/', pausesMs: [] });
  try {
    const work = async (): Promise<void> => void (await client.inventory('a', { signal: never }));
    await expect(nodeByNode(never)(work)).rejects.toThrow('no answer from Ironic');
  } finally {
    await client.close();
  }
});

test('the end of the bridge is no failure of a node', async () => {
  const ended = new AbortController();
  ended.abort(new Error('the bridge ends'));
  await expect(nodeByNode(ended.signal)(async () => ended.signal.throwIfAborted())).rejects.toThrow('the bridge ends');
});
