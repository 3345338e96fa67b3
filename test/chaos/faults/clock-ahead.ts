import { setClock } from '../../../lab/clock/clock.ts';
import type { Program } from '../../../lab/rights.ts';
import { type Battered, duration, type Fault, lasting, whileEnded } from './fault.ts';

const YEAR_MS = 365 * 86_400_000;

async function startAgain(lab: Battered, programs: readonly Program[], aheadMs: number): Promise<void> {
  await whileEnded(lab, programs, async () => {
    for (const program of programs) await setClock(lab.clocks, program, aheadMs);
  });
}

const ahead = (programs: readonly Program[]): Fault => ({
  name: `start ${programs.join(' and ')} with a clock a year ahead`,
  async do(lab, random) {
    const wrong = duration(random, lab.longestMs);
    await startAgain(lab, programs, YEAR_MS);
    await lasting(wrong);
    await startAgain(lab, programs, 0);
    return `for ${wrong} ms`;
  },
});

export const CLOCK_FAULTS: readonly Fault[] = [ahead(['bridge']), ahead(['workers']), ahead(['bridge', 'workers'])];
