import type { TestLab } from '../../e2e/support/lab.ts';
import { duration, type Fault, lasting } from './fault.ts';
import { firstHit, whileDisturbed } from './proxy.ts';

/** Ironic's words for a node that another of its requests holds. */
const LOCKED = 'Node is locked by host conductor-1, please retry after the current operation is completed.';

/** Changes of nodes are answered as while Ironic is busy with the node. */
export const lockedNodes = (ironic: TestLab): Fault => ({
  name: 'lock the nodes of Ironic',
  async do({ longestMs }, random) {
    const times = random.pick([1, 3, 1_000]);
    const locked = ['PUT', 'PATCH', 'DELETE'].map((method) => ({
      method,
      path: '^/v1/nodes/',
      times,
      status: 409,
      message: LOCKED,
    }));
    return whileDisturbed(ironic, locked, async (hits) => {
      await firstHit(hits, longestMs);
      await lasting(duration(random, longestMs));
      return `${await hits()} requests`;
    });
  },
});
