import { setTimeout as sleep } from 'node:timers/promises';
import type { EntityView } from '../../domain/entity/view.ts';
import type { PublishAnswer } from '../../workflows/messages.ts';
import type { Ledger } from '../ledger.ts';
import type { Orders } from '../signal/orders.ts';
import type { Publish } from './publish.ts';

/** Writes a view; undefined: not at present, so the view is to come by Temporal. */
export type TakeView = (view: EntityView) => Promise<PublishAnswer> | undefined;

export interface ViewTaker {
  readonly take: TakeView;
  /** Takes no more views, and waits for those that are being written, for this time at most. */
  readonly stop: (atMostMs: number) => Promise<void>;
}

interface ViewTakerDeps {
  readonly publish: Publish;
  readonly orders: Pick<Orders, 'areOurs'>;
  readonly ledger: Pick<Ledger, 'find'>;
  /** True when the object of the view exists, and is watched by this bridge. */
  readonly isPresent: (view: EntityView) => boolean;
}

/**
 * Takes views from runs that are in a workflow task, and so can't answer queries. Declined is what might wait for such
 * an answer: a view of a run that this bridge has told nothing yet, and one of an object that is being written.
 */
export function createViewTaker({ publish, orders, ledger, isPresent }: ViewTakerDeps): ViewTaker {
  const running = new Set<Promise<PublishAnswer>>();
  let isStopped = false;
  return {
    take(view) {
      if (isStopped || !orders.areOurs(view.order) || !isPresent(view)) return undefined;
      if ((ledger.find(view.uid)?.writing ?? 0) > 0) return undefined;
      const writing = publish(view, { kind: 'workflow' });
      running.add(writing);
      const forget = (): void => void running.delete(writing);
      writing.then(forget, forget);
      return writing;
    },
    async stop(atMostMs) {
      isStopped = true;
      await Promise.race([Promise.allSettled(running), sleep(atMostMs, undefined, { ref: false })]);
    },
  };
}
