import type { PublishAnswer } from './messages.ts';

export interface Publisher {
  /** Publishes the current view unless the bridge has it already. Does not wait. */
  offer(): void;
  /** True when all that was offered has been taken. */
  readonly settled: boolean;
}

interface Published<View> {
  /** The last revision that was accepted. */
  readonly shown: () => number;
  readonly view: () => View;
  readonly hand: (view: View) => Promise<PublishAnswer>;
  readonly taken: (view: View, answer: PublishAnswer['kind']) => void;
}

/** Publishes views to the bridge, one at a time; changes during a publication go into the next one. */
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
        const { kind } = await hand(next);
        taken(next, kind);
      }
    } finally {
      // In the same breath as the last look: what is offered from here on begins a new hand-over.
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
