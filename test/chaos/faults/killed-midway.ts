import type { TestLab } from '../../e2e/support/lab.ts';
import { duration, type Fault, kill, lasting } from './fault.ts';
import { firstHit, whileDisturbed } from './proxy.ts';

/** Within Ironic's longest time for a request, so that workers that start again may meet it before or after. */
const DELAY_MS = { least: 500, most: 10_000 } as const;

/** The workers are killed after a request has left them, and Ironic carries it out later. */
export const killedMidway = (ironic: TestLab): Fault => ({
  name: 'kill workers between a request to Ironic and its answer',
  async do(lab, random) {
    const delayMs = random.between(DELAY_MS.least, DELAY_MS.most);
    const request = { method: 'PUT', path: 'states/(provision|power)$', delayMs, times: 1 };
    return whileDisturbed(ironic, [request], async (hits) => {
      if (!(await firstHit(hits, lab.longestMs))) return 'no request came';
      await kill(lab, 'workers');
      const away = duration(random, lab.longestMs / 4);
      await lasting(away);
      await lab.start('workers');
      return `Ironic gets it after ${delayMs} ms; away for ${away} ms`;
    });
  },
});
