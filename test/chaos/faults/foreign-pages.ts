import type { TestLab } from '../../e2e/support/lab.ts';
import { duration, type Fault, lasting } from './fault.ts';
import { firstHit, whileDisturbed } from './proxy.ts';

/** A load balancer without a backend answers for Ironic, also that there is no such page. */
const pages = (ironic: TestLab, status: 404 | 502): Fault => ({
  name: `answer for Ironic with a proxy's page ${status}`,
  async do({ longestMs }, random) {
    return whileDisturbed(ironic, [{ status, page: true, times: 100_000 }], async (hits) => {
      await firstHit(hits, longestMs);
      const away = duration(random, longestMs);
      await lasting(away);
      return `${await hits()} requests, for ${away} ms`;
    });
  },
});

export const foreignPages = (ironic: TestLab): readonly Fault[] => [pages(ironic, 404), pages(ironic, 502)];
