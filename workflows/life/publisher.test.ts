import { expect, test } from 'vitest';
import type { PublishAnswer } from '../messages.ts';
import { createPublisher } from './publisher.ts';

/** More microtasks than a hand-over takes: what happens later than that happens after it. */
const LONG = 12;
const MOMENTS = Array.from({ length: LONG }, (_, moment) => moment);

/** A hand-over that is answered, and another view that is offered, each after so many microtasks. */
async function handedOver(answered: number, offered: number): Promise<readonly number[]> {
  let revision = 1;
  let shown = 0;
  const handed: number[] = [];
  const answers: ((answer: PublishAnswer) => void)[] = [];
  const publisher = createPublisher({
    shown: () => shown,
    view: () => ({ revision }),
    hand(view) {
      handed.push(view.revision);
      return new Promise<PublishAnswer>((resolve) => answers.push(resolve));
    },
    taken(view) {
      shown = view.revision;
    },
  });
  publisher.offer();
  for (const moment of MOMENTS) {
    if (moment === answered) answers[0]?.({ kind: 'published' });
    if (moment === offered) {
      revision = 2;
      publisher.offer();
    }
    await Promise.resolve();
  }
  expect(publisher.settled).toBe(false);
  answers[1]?.({ kind: 'published' });
  for (const _ of MOMENTS) await Promise.resolve();
  expect([publisher.settled, shown]).toEqual([true, 2]);
  return handed;
}

test('a view is handed over whenever it is offered and whenever the one before it is answered', async () => {
  for (const answered of MOMENTS) {
    for (const offered of MOMENTS) {
      expect(await handedOver(answered, offered), `answered ${answered}, offered ${offered}`).toEqual([1, 2]);
    }
  }
});
