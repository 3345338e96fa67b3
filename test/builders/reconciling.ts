import { pino } from 'pino';
import type { Binding } from '../../k8s-bridge/binding.ts';
import type { Ledger } from '../../k8s-bridge/ledger.ts';
import { createPublish, type Publish, type PublishDeps } from '../../k8s-bridge/publish/publish.ts';
import { createReconciler, type ReconcileDeps, type Reconciler } from '../../k8s-bridge/reconcile.ts';
import { createOrders } from '../../k8s-bridge/signal/orders.ts';
import { ownObjects } from '../../k8s-bridge/watch/own-objects.ts';
import { createSerializer } from '../../kube/one-at-a-time.ts';
import type { Store } from '../../kube/store.ts';

/** One kind of a bridge without servers. */
interface OneKind {
  readonly binding: Binding;
  readonly store: Store;
  readonly ledger: Ledger;
  readonly now: () => number;
}

/** Signals reach nobody unless the test says so. */
export const aReconciler = ({ binding, store, ledger, now }: OneKind, deps: Partial<ReconcileDeps>): Reconciler =>
  createReconciler(binding, {
    stores: store,
    own: ownObjects(binding, store, ''),
    ledger,
    orders: createOrders(now()),
    signals: { observe: async () => 'run-1', vanish: async () => false, ask: async () => ({ kind: 'none' }) },
    announce: async () => true,
    queue: { addLater: () => undefined },
    repair: () => undefined,
    isAfterRestore: false,
    onUnreadable: () => undefined,
    log: pino({ level: 'silent' }),
    now,
    ...deps,
  });

export const aPublish = (
  { binding, store, ledger, now }: OneKind,
  deps: Pick<PublishDeps, 'write'> & Partial<PublishDeps>,
): Publish =>
  createPublish({
    bindings: [binding],
    stores: store,
    ledger,
    toldFirst: async () => undefined,
    announce: async () => true,
    serially: createSerializer(),
    look: () => undefined,
    onWritten: () => undefined,
    now,
    ...deps,
  });
