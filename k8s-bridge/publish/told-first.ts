import { isBefore } from '../../domain/entity/order.ts';
import type { EntityView } from '../../domain/entity/view.ts';
import { isOlderVersion, keyOf } from '../../kube/reflector.ts';
import type { Entry } from '../../kube/store.ts';
import type { Binding } from '../binding.ts';
import type { Restore } from '../lease/restore.ts';
import type { Ledger } from '../ledger.ts';
import type { Orders } from '../signal/orders.ts';
import type { Signals } from '../signal/signals.ts';
import type { OwnObjects } from '../watch/own-objects.ts';
import type { Origin } from './judge.ts';

/** The parts of one kind's controller that are needed here. */
interface Teller {
  readonly own: OwnObjects;
  /** False while the kind, or one that it depends on, is not listed. */
  readonly isReady: () => boolean;
  readonly reconciler: { inform(entry: Entry, view: EntityView): Promise<boolean> };
}

export interface ToldFirstDeps {
  readonly tellers: ReadonlyMap<string, Teller>;
  readonly ledger: Ledger;
  readonly orders: Orders;
  readonly signals: Pick<Signals, 'ask'>;
  readonly restore: Pick<Restore, 'isPast' | 'notice' | 'noticed'>;
  /** The object's version in the API server; undefined: there is no such object. */
  readonly versionOf: (view: EntityView, binding: Binding) => Promise<string | undefined>;
  /** ms since the epoch. */
  readonly now: () => number;
}

interface Present {
  readonly view: EntityView;
  readonly origin: Origin;
}

/**
 * Returns the view to write instead of this one; undefined: this one. Throws when the run can't be signalled, or does
 * not answer.
 */
export type ToldFirst = (view: EntityView, binding: Binding) => Promise<Present | undefined>;

/**
 * A run that an earlier bridge has signalled may know an object that has changed since, for example because etcd was
 * restored. So the run first gets a snapshot of the present object, and is then asked for its view again; only that
 * view is written. When the run shows that etcd was restored, the bridge ends, and the next one signals all objects.
 */
export function createToldFirst(deps: ToldFirstDeps): ToldFirst {
  const { tellers, ledger, orders, signals, restore, versionOf, now } = deps;

  /**
   * When a run has seen a newer version of its object than the API server has, etcd was restored before this bridge
   * began.
   */
  const lookForRestore = async (view: EntityView, entry: Entry, binding: Binding): Promise<void> => {
    const { resourceVersion: seen } = view;
    if (restore.isPast || seen === undefined || !isOlderVersion(entry.resourceVersion, seen)) return;
    const present = await versionOf(view, binding);
    // If the API server has that version, etcd was not restored: only our watch is late.
    if (present !== undefined && isOlderVersion(present, seen)) restore.notice();
    restore.noticed.throwIfAborted();
  };

  return async (view, binding) => {
    orders.hear(view.order);
    const teller = tellers.get(view.kind);
    // A run that is behind gets a snapshot even if it seems to know the object.
    if (teller === undefined || orders.areOurs(view.order) || view.behind !== undefined || view.reset !== undefined)
      return undefined;
    if (!teller.isReady()) throw new Error(`the kinds that a ${view.kind} depends on are not listed yet`);
    const entry = teller.own.get(keyOf(view));
    if (entry?.uid !== view.uid) return undefined;
    await lookForRestore(view, entry, binding);
    const known = ledger.of(view.uid);
    // Another bridge has signalled a newer order: the run ignored our signals.
    if (known.signalled !== undefined && isBefore(known.signalled.order, view.order)) known.signalled = undefined;
    await teller.reconciler.inform(entry, view);
    const { signalled } = known;
    // The object can't be read, or must not be signalled at present.
    if (signalled === undefined) throw new Error(`the run can't be told of ${view.kind} ${keyOf(view)} at present`);
    if (!isBefore(view.order, signalled.order)) return undefined;
    const askedAt = now();
    const answer = await signals.ask(binding, entry);
    if (answer.kind !== 'view' || answer.view?.uid !== view.uid)
      throw new Error(`the run that was told of ${view.kind} ${keyOf(view)} has ended`);
    return { view: answer.view, origin: { kind: 'query', askedAt } };
  };
}
