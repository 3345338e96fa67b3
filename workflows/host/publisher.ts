import type { HostView } from '../../domain/host/view.ts';
import { bridge } from '../proxies.ts';

export interface Publisher {
  /** Hands over the present view unless the bridge already has it. Does not wait. */
  offer(): void;
  /** Waits until all that was offered has been taken. */
  settled(): Promise<void>;
}

interface Published {
  readonly shown: () => number;
  readonly view: () => HostView;
  readonly taken: (view: HostView, answer: 'published' | 'superseded' | 'gone') => void;
}

/** Hands views to the bridge, one at a time; what changes meanwhile goes together in the next. */
export function createPublisher({ shown, view, taken }: Published): Publisher {
  let handing: Promise<void> | undefined;

  const hand = async (): Promise<void> => {
    for (let next = view(); next.revision > shown(); next = view()) {
      const state = next.status.provisioning.state;
      const { kind } = await bridge(`Show ${state === '' ? 'the host' : state} on the BareMetalHost`).publishHost({
        view: next,
      });
      taken(next, kind);
    }
  };

  return {
    offer(): void {
      if (handing !== undefined || view().revision <= shown()) return;
      handing = hand().finally(() => {
        handing = undefined;
      });
    },
    async settled(): Promise<void> {
      while (handing !== undefined) await handing;
    },
  };
}
