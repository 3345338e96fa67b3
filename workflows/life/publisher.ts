import type { PublishAnswer } from '../messages.ts';

export interface Publisher {
  /** Publishes the current view unless the bridge has it already. Does not wait. */
  offer(): void;
  /** True when the bridge has accepted every offered view. */
  readonly settled: boolean;
}

interface Published<View> {
  /** The last revision that was accepted. */
  readonly shown: () => number;
  readonly view: () => View;
  readonly hand: (view: View) => Promise<PublishAnswer>;
  readonly taken: (view: View, answer: PublishAnswer) => void;
}

/** Publishes views to the bridge, one at a time. Changes during a publication are published afterwards. */
export function createPublisher<View extends { readonly revision: number }>({
  shown,
  view,
  hand,
  taken,
}: Published<View>): Publisher {
  let isHanding = false;

  const handAll = async (): Promise<void> => {
    isHanding = true;
    try {
      for (let next = view(); next.revision > shown(); next = view()) {
        taken(next, await hand(next));
      }
    } finally {
      // No `await` between the last comparison and this line: a view that is offered from here on starts a new loop.
      isHanding = false;
    }
  };

  return {
    offer(): void {
      if (!isHanding) void handAll();
    },
    get settled() {
      return !isHanding;
    },
  };
}
