import type { Binding } from '../binding.ts';
import type { Signals } from '../signal/signals.ts';
import type { OwnObjects } from '../watch/own-objects.ts';
import type { Publish } from './publish.ts';

export interface RepairDeps {
  readonly signals: Pick<Signals, 'ask'>;
  readonly publish: Publish;
  /** Starts the workflow again when none runs. */
  readonly revive: (kind: string, key: string) => Promise<void>;
  readonly now: () => number;
}

export type Repair = (target: { readonly binding: Binding; readonly own: OwnObjects }, key: string) => Promise<void>;

/**
 * Queries the workflow for the object's view and writes it. Throws without an answer; the object then stays unchanged.
 */
export function createRepair({ signals, publish, revive, now }: RepairDeps): Repair {
  return async ({ binding, own }, key) => {
    const entry = own.get(key);
    if (entry === undefined || binding.isLeftAlone?.(entry)) return;
    const askedAt = now();
    const answer = await signals.ask(binding, entry);
    if (answer.kind !== 'view') return revive(binding.followed.kind, key);
    if (answer.view?.uid === entry.uid) await publish(answer.view, { kind: 'query', askedAt });
  };
}
