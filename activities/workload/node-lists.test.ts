import { expect, test } from 'vitest';
import { createNodeLists } from './nodes.ts';

test('of the Nodes of 2,000 clusters that are gone no list is kept', async () => {
  const lists = createNodeLists(({ name }) => Promise.resolve([{ name, providerID: '' }]), 20);
  for (let each = 0; each < 2_000; each++) {
    await Promise.all([
      lists.now({ namespace: 'metal', name: `c${each}` }),
      lists.recent({ namespace: 'metal', name: `c${each}` }),
    ]);
  }
  await expect.poll(() => lists.size).toBe(0);
});
