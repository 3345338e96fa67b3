import type { Client } from '@temporalio/client';
import PQueue from 'p-queue';
import { isBefore } from '../../domain/entity/order.ts';
import { messageOf } from '../../domain/message-of.ts';
import { isPending, readObject } from '../../kube/objects/any-object.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry } from '../../kube/store.ts';
import type { Log } from '../../platform/log.ts';
import { aborted } from '../aborted.ts';
import type { Controller } from '../controller.ts';
import type { Ledger } from '../ledger.ts';
import type { Publish } from '../publish/publish.ts';
import type { Orders } from '../signal/orders.ts';
import type { Signals } from '../signal/signals.ts';
import { createPace, type Pace } from './pace.ts';
import type { Revive } from './revive.ts';
import { findStrays, signalStray } from './strays.ts';

export interface ResyncDeps {
  readonly client: Pick<Client, 'workflow'>;
  readonly controllers: readonly Controller[];
  readonly ledger: Ledger;
  readonly orders: Orders;
  readonly signals: Signals;
  readonly publish: Publish;
  readonly revive: Revive;
  readonly watches: (namespace: string) => boolean;
  readonly log: Log;
  /** ms since the epoch. */
  readonly now: () => number;
}

export interface Resync {
  /** Starts a resync of all objects; a running one is aborted. */
  restart(): void;
  /** Runs each requested resync, until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

/** Concurrent queries: each occupies a workflow worker. */
const ASKING = 20;

/**
 * After a start, and when Temporal is back, the bridge does not know what workflows know. Each workflow is queried for
 * its view, which is needed anyway to repair the status. The view has the digest of the last snapshot that the run took
 * in; only when it is outdated, the object is signalled. Users' changes do not wait for the resync: they use the queue.
 */
export function createResync(deps: ResyncDeps): Resync {
  const { client, controllers, signals, watches, log } = deps;
  let pass = new AbortController();
  let wake = Promise.withResolvers<void>();

  const catchUp = async (controller: Controller, pace: Pace, queries: PQueue, signal: AbortSignal): Promise<void> => {
    await Promise.race([controller.ready, aborted(signal)]);
    if (signal.aborted) return;
    const waiting = pendingFirst(controller.own.values()).map(keyOf);
    while (!signal.aborted) {
      const key = waiting.shift();
      if (key === undefined) {
        await queries.onIdle();
        if (waiting.length === 0) break;
        continue;
      }
      await pace.turn(signal);
      await queries.onSizeLessThan(1);
      if (signal.aborted) return;
      const began = Date.now();
      void queries.add(() =>
        catchUpWith(deps, controller, key).then(
          () => pace.answered(Date.now() - began),
          (error: unknown) => {
            pace.failed();
            controller.binding.tally?.lookFailed();
            log.info(
              { kind: controller.binding.followed.kind, object: key, error: messageOf(error) },
              'workflow did not answer the query for its view',
            );
            waiting.push(key);
          },
        ),
      );
    }
    for await (const key of findStrays(client, controller, watches)) {
      if (signal.aborted) return;
      await pace.turn(signal);
      await signalStray(signals, controller, key).catch((error: unknown) =>
        log.info(
          { kind: controller.binding.followed.kind, object: key, error: messageOf(error) },
          'the workflow of a deleted object could not be signalled',
        ),
      );
    }
  };

  const goThrough = async (signal: AbortSignal): Promise<void> => {
    const pace = createPace();
    const queries = new PQueue({ concurrency: ASKING });
    await Promise.all(
      controllers.map((controller) =>
        catchUp(controller, pace, queries, signal).catch((error: unknown) =>
          // The next resync, when Temporal is back, covers all objects.
          log.info(
            { kind: controller.binding.followed.kind, error: messageOf(error) },
            'the resync of a kind was interrupted',
          ),
        ),
      ),
    );
  };

  return {
    restart() {
      pass.abort();
      wake.resolve();
    },
    async run(signal) {
      signal.addEventListener('abort', () => wake.resolve(), { once: true });
      while (!signal.aborted) {
        pass = new AbortController();
        wake = Promise.withResolvers();
        await goThrough(AbortSignal.any([signal, pass.signal]));
        if (!signal.aborted) await wake.promise;
      }
    },
  };
}

/** Resyncs one object. */
async function catchUpWith(
  { ledger, orders, signals, publish, revive, now }: ResyncDeps,
  { binding, own, queue, reconciler }: Controller,
  key: string,
): Promise<void> {
  const entry = own.get(key);
  if (entry === undefined || ledger.find(entry.uid)?.written?.letGo) return;
  const askedAt = now();
  const answer = await signals.ask(binding, entry);
  if (answer.kind !== 'view') {
    await revive(binding.followed.kind, key);
    return queue.add(key);
  }
  const { view } = answer;
  if (view?.uid !== entry.uid) {
    ledger.of(entry.uid).signalled = undefined;
    return queue.add(key);
  }
  orders.hear(view.order);
  const known = ledger.of(entry.uid);
  // The run does not know the last signal any more: Temporal's database was restored.
  if (known.signalled !== undefined && isBefore(view.order, known.signalled.order)) known.signalled = undefined;
  await reconciler.inform(entry, view);
  if (!binding.isLeftAlone?.(entry)) await publish(view, { kind: 'query', askedAt });
  queue.add(key);
}

function pendingFirst(entries: Iterable<Entry>): Entry[] {
  const all = [...entries];
  const pending = new Set(all.filter(({ object }) => isPending(readObject(object))));
  return [...pending, ...all.filter((entry) => !pending.has(entry))];
}
