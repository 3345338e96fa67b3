import type { Client } from '@temporalio/client';
import PQueue from 'p-queue';
import { isBefore } from '../../domain/entity/order.ts';
import { messageOf } from '../../domain/message-of.ts';
import { isPending, readObject } from '../../kube/objects/any-object.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry } from '../../kube/store.ts';
import { aborted } from '../aborted.ts';
import type { Around } from '../around.ts';
import { countingFailure } from '../binding.ts';
import type { Controller } from '../controller.ts';
import type { Publish } from '../publish/publish.ts';
import type { Orders } from '../signal/orders.ts';
import type { Signals } from '../signal/signals.ts';
import { createPace, type Pace, waitUnlessAborted } from './pace.ts';
import type { Revive } from './revive.ts';
import { findStrays, signalStray } from './strays.ts';

export interface ResyncDeps extends Pick<Around, 'ledger' | 'log' | 'now'> {
  readonly client: Pick<Client, 'workflow'>;
  readonly controllers: readonly Controller[];
  readonly orders: Orders;
  readonly signals: Signals;
  readonly publish: Publish;
  readonly revive: Revive;
  readonly watches: (namespace: string) => boolean;
}

export interface Resync {
  /** Starts a resync of all objects; a running one is aborted. */
  restart(): void;
  /** Runs each requested resync, until aborted. */
  run(signal: AbortSignal): Promise<void>;
}

/** The limits of one resync, which all kinds share. */
interface Limits {
  readonly pace: Pace;
  readonly queries: PQueue;
}

/** Concurrent queries: each occupies a workflow worker. */
const ASKING = 20;
/** Pauses (ms) before a run is asked again: one that never answers does not slow down the others. */
const AGAIN = { firstMs: 1_000, mostMs: 300_000 };

/**
 * After a start, and when Temporal is back, the bridge does not know what workflows know. Each workflow is queried for
 * its view, which is needed anyway to repair the status. The view has the digest of the last snapshot that the run took
 * in; only when it is outdated, the object is signalled. Users' changes do not wait for the resync: they use the queue.
 */
export function createResync(deps: ResyncDeps): Resync {
  const { client, controllers, signals, watches, log } = deps;
  let pass = new AbortController();
  let wake = Promise.withResolvers<void>();

  /** Calls `ask` for each key, and again for those without an answer, until all have answered or it is aborted. */
  const askAll = async (
    { kind, keys, ask }: { kind: string; keys: readonly string[]; ask: (key: string) => Promise<void> },
    { pace, queries }: Limits,
    signal: AbortSignal,
  ): Promise<void> => {
    const waiting = [...keys];
    const asking = new Set<Promise<void>>();
    const failures = new Map<string, number>();
    const didNotAnswer = async (key: string, error: unknown): Promise<void> => {
      pace.failed();
      log.info({ kind, object: key, error: messageOf(error) }, 'workflow did not answer the query for its view');
      const times = failures.get(key) ?? 0;
      failures.set(key, times + 1);
      await waitUnlessAborted(Math.min(AGAIN.firstMs * 2 ** times, AGAIN.mostMs), signal);
      waiting.push(key);
    };
    while (!signal.aborted) {
      const key = waiting.shift();
      if (key === undefined) {
        if (asking.size === 0) return;
        await Promise.race(asking);
        continue;
      }
      await pace.turn(signal);
      await queries.onSizeLessThan(1);
      if (signal.aborted) return;
      const began = Date.now();
      const asked: Promise<void> = queries
        .add(() => ask(key))
        .then(
          () => pace.answered(Date.now() - began),
          (error: unknown) => didNotAnswer(key, error),
        )
        .finally(() => asking.delete(asked));
      asking.add(asked);
    }
  };

  /** Lists the workflows without an object until Temporal answers. */
  const straysOf = async (
    controller: Controller,
    { pace }: Limits,
    signal: AbortSignal,
  ): Promise<readonly string[]> => {
    const { kind } = controller.binding.followed;
    for (;;) {
      await pace.turn(signal);
      if (signal.aborted) return [];
      try {
        const strays: string[] = [];
        for await (const key of findStrays(client, controller, watches)) strays.push(key);
        return strays;
      } catch (error) {
        pace.failed();
        log.info({ kind, error: messageOf(error) }, 'Temporal did not list the workflows of deleted objects');
      }
    }
  };

  const catchUp = async (controller: Controller, limits: Limits, signal: AbortSignal): Promise<void> => {
    await Promise.race([controller.ready, aborted(signal)]);
    if (signal.aborted) return;
    const { binding, own } = controller;
    const { kind } = binding.followed;
    const askObject = (key: string): Promise<void> => countingFailure(binding, catchUpWith(deps, controller, key));
    await askAll({ kind, keys: pendingFirst(own.values()).map(keyOf), ask: askObject }, limits, signal);
    // Only this loop signals these workflows. Without it, they would wait for ever for objects that are gone.
    const strays = await straysOf(controller, limits, signal);
    await askAll({ kind, keys: strays, ask: (key) => signalStray(signals, controller, key) }, limits, signal);
  };

  const goThrough = async (signal: AbortSignal): Promise<void> => {
    const limits = { pace: createPace(), queries: new PQueue({ concurrency: ASKING }) };
    await Promise.all(controllers.map((controller) => catchUp(controller, limits, signal)));
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
  // The object may have been changed, replaced or deleted since the run was asked.
  const present = own.get(key);
  if (present?.uid !== entry.uid) return queue.add(key);
  const { view } = answer;
  const known = ledger.of(entry.uid);
  if (view?.uid !== entry.uid) {
    known.signalled = undefined;
    return queue.add(key);
  }
  orders.hear(view.order);
  // The run does not know the last signal any more: Temporal's database was restored.
  if (known.signalled !== undefined && isBefore(view.order, known.signalled.order)) known.signalled = undefined;
  await reconciler.inform(present, view);
  if (!binding.isLeftAlone?.(present)) await publish(view, { kind: 'query', askedAt });
  queue.add(key);
}

function pendingFirst(entries: Iterable<Entry>): Entry[] {
  const all = [...entries];
  const pending = new Set(all.filter(({ object }) => isPending(readObject(object))));
  return [...pending, ...all.filter((entry) => !pending.has(entry))];
}
