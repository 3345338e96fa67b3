export interface Publisher {
  /** Hands over the present view unless the bridge already has it. Does not wait. */
  offer(): void;
  /** Waits until all that was offered has been taken. */
  settled(): Promise<void>;
}

export type PublishAnswer = 'published' | 'superseded' | 'gone';

interface Published<View> {
  /** The last revision that was taken. */
  readonly shown: () => number;
  readonly view: () => View;
  readonly hand: (view: View) => Promise<{ readonly kind: PublishAnswer }>;
  readonly taken: (view: View, answer: PublishAnswer) => void;
}

/** Hands views to the bridge, one at a time; what changes meanwhile goes together in the next. */
export function createPublisher<View extends { readonly revision: number }>({
  shown,
  view,
  hand,
  taken,
}: Published<View>): Publisher {
  let handing: Promise<void> | undefined;

  const handAll = async (): Promise<void> => {
    for (let next = view(); next.revision > shown(); next = view()) {
      const { kind } = await hand(next);
      taken(next, kind);
    }
  };

  return {
    offer(): void {
      if (handing !== undefined || view().revision <= shown()) return;
      handing = handAll().finally(() => {
        handing = undefined;
      });
    },
    async settled(): Promise<void> {
      while (handing !== undefined) await handing;
    },
  };
}
