import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeFacts, stepOf } from '../../../domain/ironic/node/facts.ts';
import type { IronicNode } from '../../../domain/ironic/node/node.ts';
import type { NodeStateJson } from '../../../domain/ironic/node/node-json.ts';
import { createKept } from '../../../platform/kept.ts';
import type { KeptSizes } from '../../../platform/metrics/kept.ts';
import { type AbsenceOptions, createAbsence, handedBack } from './absence.ts';

export interface PollerOptions extends AbsenceOptions {
  readonly listNodes: (signal: AbortSignal) => Promise<readonly NodeStateJson[]>;
  /** Milliseconds between the end of a list request and the next one; half of it while only few wait. */
  readonly intervalMs: number;
}

/**
 * One list request each tick for all activities in this process that wait for nodes of one Ironic. None while none
 * waits and the last one succeeded.
 *
 * When all lists fail for longer than the patience, this process can't reach Ironic, and others perhaps can: all waits
 * fail, so that Temporal repeats them, and new ones fail at once, until a list succeeds.
 */
export interface NodePoller {
  /**
   * Resolves with the first node that `accepts` returns true for; null: Ironic does not know the node. `step`: what Ironic
   * does with it at the moment. Only lists that
   * began after the call count, so the result is never older than the caller's own change. Waits through short outages
   * of Ironic; `onOutage` is called after each failed list with the number of failures in a row, and with 0 after the
   * first success.
   */
  waitFor(
    nodeId: string,
    accepts: (node: IronicNode | null, step: string | undefined) => boolean,
    signal: AbortSignal,
    onOutage?: OnOutage,
  ): Promise<IronicNode | null>;
  /** The next list that begins after the call. Waits through short outages of Ironic. */
  nextList(signal: AbortSignal): Promise<readonly NodeStateJson[]>;
  /** The node from a recent list; undefined after we have changed it. */
  recent(nodeId: string): IronicNode | undefined;
  /** The name of a node that `recent` or `waitFor` may return, null without one; undefined when it is not known. */
  nameOf(nodeId: string): string | null | undefined;
  /** Called when this node was changed: earlier lists are outdated for it. */
  changed(nodeId: string): void;
  /** A request has found that Ironic does not answer: a list is sent although nothing waits. */
  suspect(): void;
  /** Why this process takes nothing that needs Ironic; undefined: it does. */
  whyAway(): string | undefined;
  close(): void;
  readonly kept: KeptSizes;
}

/** A pause lasts this many times as long as the list before: lists take at most a fifth of a busy Ironic's time. */
const SHARE = 4;

/** A failed list does not show how busy Ironic is, so the pause after it is not longer. */
const LONGEST_AFTER_FAILURE = 30_000;

/** While no more than these wait, a list costs Ironic almost nothing. */
const FEW = 3;

/** While lists fail and nobody waits for one, they only show whether Ironic is back: so much fewer are enough. */
const FEWER_WHILE_ALONE = 10;

/** Older data is requested again. */
const RECENT = 2_000;

/** Milliseconds from the end of one list to the next. */
export function pauseBefore(next: {
  readonly intervalMs: number;
  readonly waiting: number;
  /** Duration of the last list in milliseconds. */
  readonly lastTook: number;
}): number {
  const usual = next.waiting <= FEW ? next.intervalMs / 2 : next.intervalMs;
  return Math.max(usual, SHARE * next.lastTook);
}

export type OnOutage = (failures: number, error: unknown) => void;

interface Waiter {
  look(list: readonly NodeStateJson[]): void;
  fail(error: unknown): void;
  handBack(): void;
}

export function createNodePoller({ listNodes, intervalMs, ...rest }: PollerOptions): NodePoller {
  const { log } = rest;
  const absence = createAbsence(rest);
  const waiters = new Set<Waiter>();
  const closing = new AbortController();
  // Twice RECENT: older changes have no effect any more.
  const changes = createKept<number>(2 * RECENT);
  let list: readonly NodeStateJson[] = [];
  let nodes: ReadonlyMap<string, NodeStateJson> = new Map();
  let listedAt = Number.NEGATIVE_INFINITY;
  let duration = 0;
  let running = false;
  let isSuspected = false;
  let idle: NodeJS.Timeout | undefined;
  /** A list serves all waiting activities, so it appears in the logs and traces of none of them. */
  const forAll = AsyncLocalStorage.snapshot();

  async function tick(): Promise<void> {
    const pause = pauseBefore({ intervalMs, waiting: waiters.size, lastTook: duration });
    const shortest = waiters.size > 0 ? intervalMs : intervalMs * FEWER_WHILE_ALONE;
    const afterFailure = Math.min(Math.max(pause, shortest), Math.max(intervalMs, LONGEST_AFTER_FAILURE));
    await sleep(absence.isFailing() ? afterFailure : pause, undefined, { signal: closing.signal });
    if (!isNeeded()) return;
    const present = [...waiters];
    isSuspected = false;
    const sentAt = absence.now();
    const began = performance.now();
    try {
      list = await listNodes(closing.signal);
      nodes = new Map(list.map((node) => [node.uuid, node]));
      listedAt = began;
    } catch (error) {
      if (closing.signal.aborted) return;
      for (const waiter of present) waiter.fail(error);
      if (absence.failed(error, sentAt)) for (const waiter of waiters) waiter.handBack();
      return;
    } finally {
      duration = performance.now() - began;
    }
    absence.succeeded();
    for (const waiter of present) waiter.look(list);
  }

  /** After a failure, lists go on until one succeeds: a worker that takes no tasks has no other way to learn of it. */
  const isNeeded = (): boolean => waiters.size > 0 || absence.isFailing() || isSuspected;

  async function run(): Promise<void> {
    if (running) return;
    running = true;
    clearTimeout(idle);
    try {
      while (isNeeded() && !closing.signal.aborted) await tick();
    } catch (error) {
      if (!closing.signal.aborted) log.warn({ err: error }, 'waiting for nodes was interrupted');
    } finally {
      running = false;
    }
    if (closing.signal.aborted) return;
    if (isNeeded()) void run();
    else idle = setTimeout(forgetList, RECENT).unref();
  }

  function forgetList(): void {
    list = [];
    nodes = new Map();
    listedAt = Number.NEGATIVE_INFINITY;
  }

  /** Passes every list that begins from now on to `look`, until that resolves or the signal aborts. */
  function watch<T>(
    look: (list: readonly NodeStateJson[], resolve: (found: T) => void) => void,
    signal: AbortSignal,
    onOutage?: OnOutage,
  ): Promise<T> {
    let failures = 0;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiters.delete(waiter);
        signal.removeEventListener('abort', cancel);
        closing.signal.removeEventListener('abort', cancel);
      };
      const cancel = (): void => {
        leave();
        reject((signal.aborted ? signal.reason : closing.signal.reason) as Error);
      };
      const waiter: Waiter = {
        look(seen) {
          if (!waiters.has(waiter)) return;
          if (failures > 0) onOutage?.(0, undefined);
          failures = 0;
          look(seen, (found) => {
            leave();
            resolve(found);
          });
        },
        fail(error) {
          if (!waiters.has(waiter)) return;
          failures += 1;
          onOutage?.(failures, error);
        },
        handBack() {
          leave();
          reject(handedBack(absence.whyAway() ?? ''));
        },
      };
      if (signal.aborted || closing.signal.aborted) return cancel();
      const why = absence.whyAway();
      if (why !== undefined) return reject(handedBack(why));
      signal.addEventListener('abort', cancel, { once: true });
      closing.signal.addEventListener('abort', cancel, { once: true });
      waiters.add(waiter);
      void forAll(run);
    });
  }

  return {
    waitFor: (nodeId, accepts, signal, onOutage) =>
      watch(
        (_, resolve) => {
          const found = nodes.get(nodeId);
          const node = found === undefined ? null : nodeFacts(found);
          if (accepts(node, found && stepOf(found))) resolve(node);
        },
        signal,
        onOutage,
      ),

    nextList: (signal) => watch((seen, resolve) => resolve(seen), signal),

    nameOf: (nodeId) => nodes.get(nodeId)?.name,

    recent(nodeId) {
      const changedAt = changes.get(nodeId) ?? Number.NEGATIVE_INFINITY;
      const isFresh = performance.now() - listedAt < RECENT && changedAt < listedAt;
      const node = isFresh ? nodes.get(nodeId) : undefined;
      return node && nodeFacts(node);
    },

    changed: (nodeId) => changes.put(nodeId, performance.now()),

    suspect() {
      isSuspected = true;
      void forAll(run);
    },

    whyAway: () => absence.whyAway(),

    close() {
      closing.abort(new Error('this worker is shutting down'));
      clearTimeout(idle);
      changes.clear();
    },

    kept: {
      node_waits: () => waiters.size,
      changed_nodes: () => changes.size,
      listed_nodes: () => nodes.size,
    },
  };
}
