import type { EntityView } from '../domain/entity/view.ts';
import { nameOf } from '../kube/reflector.ts';
import type { Entry } from '../kube/store.ts';
import type { Around } from './around.ts';
import { type Binding, countingFailure, isUnreadable } from './binding.ts';
import { digestOf } from './digest.ts';
import { awaitsEcho, ECHO_MS, type Remembered } from './ledger.ts';
import type { Announce } from './publish/announce.ts';
import { driftOf } from './publish/drift.ts';
import type { Orders } from './signal/orders.ts';
import type { Signals } from './signal/signals.ts';
import { sizeProblem } from './signal/snapshot-size.ts';
import type { OwnObjects } from './watch/own-objects.ts';
import type { KeyedQueue } from './watch/queue.ts';

export interface ReconcileDeps extends Pick<Around, 'stores' | 'ledger' | 'log' | 'now'> {
  /** The objects of the kind that this bridge reconciles. */
  readonly own: OwnObjects;
  readonly signals: Signals;
  readonly orders: Orders;
  readonly announce: Announce;
  /** Keys of the kind that wait to be reconciled. */
  readonly queue: Pick<KeyedQueue, 'addLater'>;
  /** Queues a query for the object's view. */
  readonly repair: (kind: string, key: string) => void;
  /**
   * etcd was restored: everything is signalled again. What workflows have written elsewhere may be lost, even where the
   * object is as its run knows it.
   */
  readonly isAfterRestore: boolean;
  /** Why the object is left to another operator; undefined: it is not. */
  readonly whyLeftAlone?: (entry: Entry) => string | undefined;
  /** Shows an outage of Temporal on the object. It waits for views that are being written: they call `inform`. */
  readonly showOutage?: (entry: Entry) => Promise<void>;
  /** Called when an object has become unreadable. */
  readonly onUnreadable: (kind: string) => void;
}

export interface Reconciler {
  /**
   * Signals a new snapshot to the object's workflow, and compares what the object shows with the last write. Returns
   * how long (ms) the next call may wait.
   */
  readonly reconcile: (key: string) => Promise<number | void>;
  /**
   * Signals the snapshot when it is new for the workflow; true when it was sent. `view`: the run's view, which names
   * the snapshot that the run took in last, from any bridge.
   */
  inform(entry: Entry, view?: Pick<EntityView, 'order'>): Promise<boolean>;
  /** The object was deleted, or does not match the watch filter any more. */
  readonly vanished: (last: Entry) => void;
  /** Number of deleted objects whose workflows have not been signalled yet. */
  readonly vanishing: number;
}

/** An object whose workflow does not know yet that it is gone. */
interface Orphan {
  readonly uid: string;
  /** undefined: nothing of the workflow was written. */
  readonly firstRunId: string | undefined;
}

/** The first change is signalled at once; further changes within this time are signalled together. */
const BETWEEN_SIGNALS_MS = 200;

export function createReconciler(binding: Binding, deps: ReconcileDeps): Reconciler {
  const { stores, own, ledger, signals, orders, announce, queue, repair, isAfterRestore, onUnreadable, log, now } =
    deps;
  const { whyLeftAlone = () => undefined, showOutage } = deps;
  const { kind } = binding.followed;
  /** Objects that were deleted although they had our finalizer, by key. */
  const orphans = new Map<string, Orphan>();

  const reconcile = async (key: string): Promise<number | void> => {
    // Read the current object: one key stands for any number of changes.
    const entry = own.get(key);
    if (entry === undefined) return tellOrphan(key);
    orphans.delete(key);
    binding.tally?.looked(entry);
    await showOutage?.(entry);

    const restMs = (await inform(entry)) ? BETWEEN_SIGNALS_MS : undefined;

    // Compare what the object shows with the last write; repair it when they differ.
    const current = own.get(key);
    if (current !== undefined) compare(key, current);
    return restMs;
  };

  const inform = async (entry: Entry, view?: Pick<EntityView, 'order'>): Promise<boolean> => {
    const known = ledger.of(entry.uid);
    if (known.written?.letGo) return false;
    const leftAlone = whyLeftAlone(entry);
    // What another operator does to the object, its run does not know.
    if (leftAlone !== known.leftAlone) known.anew = { ...known.anew };
    // What people have written has a place in the list before its run learns of it.
    if (leftAlone === undefined && (await binding.note?.(entry)) === 'written') return false;
    const first = leftAlone === undefined ? await binding.completeFirst?.(entry) : undefined;
    if (first === 'written') return false;
    const unwritten = first && { unwritten: first };
    const seen = binding.observe(entry, stores, { written: known.written, now: now(), ...unwritten });
    if (seen === undefined) return false;
    if (isUnreadable(seen)) return complain(entry, known, seen.problems);
    const tooLarge = sizeProblem(seen, binding);
    if (tooLarge !== undefined) return complain(entry, known, [tooLarge]);
    known.complaint = '';
    const essence = digestOf(binding.essence(seen));
    const { anew, signalled } = known;
    if (signalled?.essence === essence && anew === undefined) return false;
    const isTakenIn = !isAfterRestore && view?.order.essence === essence && anew === undefined;
    if (isTakenIn && signalled === undefined) {
      known.signalled = { essence, order: view.order };
      return false;
    }
    const order = orders.next(essence);
    const snapshot = { ...seen, versionsSince: orders.versionsSince };
    // Before the signal is answered: the view that is based on it may come first.
    if (anew !== undefined) known.anewFrom = order;
    known.leftAlone = leftAlone;
    const runId = await signals.observe(binding, { snapshot, order, ...(anew && { anew: true, ...anew }) });
    // If it was set again during the signal, it stays set.
    if (known.anew === anew) known.anew = undefined;
    known.signalled = { essence, order, runId };
    if (leftAlone !== undefined) {
      const event = { id: leftAlone, reason: 'OtherOperator', message: leftAlone, type: 'Warning' } as const;
      await announce({ binding, object: entry, event });
    }
    log.debug({ kind, object: `${entry.namespace}/${entry.name}`, generation: seen.generation }, 'signalled');
    return true;
  };

  const complain = async (entry: Entry, known: Remembered, problems: readonly string[]): Promise<boolean> => {
    const message = `The ${kind} can't be read and is ignored: ${problems.join('; ')}`;
    if (known.complaint === message) return false;
    log.warn({ kind, object: `${entry.namespace}/${entry.name}`, problems }, 'an object can not be read');
    const event = { id: message, reason: binding.unreadableReason, message, type: 'Warning' } as const;
    await announce({ binding, object: entry, event });
    known.complaint = message;
    onUnreadable(kind);
    return false;
  };

  const compare = (key: string, entry: Entry): void => {
    const known = ledger.of(entry.uid);
    if (known.writing > 0) {
      known.overlooked = true;
      return;
    }
    const { written } = known;
    if (written === undefined) return;
    // What another operator writes is no drift.
    if (whyLeftAlone(entry) !== undefined) return;
    if (awaitsEcho(entry, written, now())) queue.addLater(key, ECHO_MS);
    else if (driftOf(binding, { entry, written, stores }) === 'drifted') repair(kind, key);
  };

  /** Signals a workflow whose object was deleted without it, because somebody removed the finalizer. */
  const tellOrphan = async (key: string): Promise<void> => {
    const orphan = orphans.get(key);
    if (orphan === undefined) return;
    const { uid, firstRunId } = orphan;
    if (await signals.vanish(binding, { ...nameOf(key), uid }))
      log.info(
        { kind, object: key, objectUid: uid, ...(firstRunId && { firstRunId }) },
        'object was deleted although it had the finalizer',
      );
    orphans.delete(key);
  };

  return {
    reconcile: (key) => countingFailure(binding, reconcile(key)),
    inform,
    vanished(last) {
      const written = ledger.find(last.uid)?.written;
      ledger.forget(last.uid);
      binding.tally?.forgotten(last);
      if (!written?.letGo) orphans.set(`${last.namespace}/${last.name}`, { uid: last.uid, firstRunId: written?.run });
    },
    get vanishing() {
      return orphans.size;
    },
  };
}
