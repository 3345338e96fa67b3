import { expect, test } from 'vitest';
import { createIronicClient } from '../../activities/ironic/client/client.ts';
import { aNodeAnswer, scriptIronic } from '../../test/builders/scripted-ironic.ts';
import { type ListedNodes, lookAtNodes } from './ironic-nodes.ts';

const never = new AbortController().signal;

test('all that look at Ironic nodes share one list, and the failure of one keeps no other from looking', async () => {
  const ironic = await scriptIronic({ status: 200, body: { nodes: [aNodeAnswer({ uuid: 'a' })] } });
  const client = await createIronicClient({ endpoint: ironic.endpoint, pausesMs: [] });
  try {
    const seen: ListedNodes[] = [];
    const fails = (): Promise<void> => Promise.reject(new Error('Temporal is away'));
    const looks = async (nodes: ListedNodes): Promise<void> => void seen.push(nodes);
    const look = lookAtNodes(
      (signal) => client.listNodes(signal),
      [fails, looks, looks],
      () => 7,
    );

    await expect(look(never)).rejects.toThrow('Temporal is away');

    expect(seen).toMatchObject([
      { askedAt: 7, all: [{ uuid: 'a' }] },
      { askedAt: 7, all: [{ uuid: 'a' }] },
    ]);
    expect(ironic.requests.map((request) => request.replace(/[?].*/, ''))).toEqual(['GET /v1/nodes']);
  } finally {
    await Promise.all([client.close(), ironic.close()]);
  }
});
