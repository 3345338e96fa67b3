import type { TestLab } from '../../e2e/support/lab.ts';
import { duration, type Fault, lasting } from './fault.ts';
import { firstHit, whileDisturbed } from './proxy.ts';

/** Ironic carries requests out, and nobody learns of it. */
export const lostAnswers = (ironic: TestLab): Fault => ({
  name: 'lose answers of Ironic',
  async do({ longestMs }, random) {
    const times = random.between(1, 6);
    const lost = ['PUT', 'PATCH', 'POST', 'DELETE'].map((method) => ({ method, times, drop: 'after' as const }));
    return whileDisturbed(ironic, lost, async (hits) => {
      await firstHit(hits, longestMs);
      await lasting(duration(random, longestMs));
      return `${await hits()} answers`;
    });
  },
});
