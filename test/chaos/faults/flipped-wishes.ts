import { type AnyTestLab, isOnIronic } from '../hosts.ts';
import type { People } from '../people.ts';
import { type Fault, lasting } from './fault.ts';
import { firstHit, whileDisturbed } from './proxy.ts';

/** Changes take so long that most of them wait for a place. */
const HELD = { method: 'PUT', path: 'states/provision$', hold: true, times: 1_000 } as const;
const LONGEST_PAUSE_MS = 3_000;

/**
 * Every image that people have on a host is removed, and put back while most requests wait. On Ironic, changes are
 * held meanwhile.
 */
export const flippedWishes = (lab: AnyTestLab, { flip }: Pick<People, 'flip'>): Fault => ({
  name: 'remove images and put them back',
  async do({ longestMs }, random) {
    const pause = random.between(0, LONGEST_PAUSE_MS);
    const flipped = isOnIronic(lab)
      ? await whileDisturbed(lab, [HELD], (hits) =>
          flip(async () => {
            await firstHit(hits, longestMs);
            await lasting(pause);
          }),
        )
      : await flip(() => lasting(pause));
    return `${flipped} images, put back after ${pause} ms`;
  },
});
