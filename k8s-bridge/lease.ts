import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { isAlreadyExists, isConflict, type Kube } from '../kube/client.ts';
import { metadata } from '../kube/objects/metadata.ts';
import { leaseCollection, leasePath } from '../kube/paths.ts';
import type { Log } from '../platform/log.ts';

export interface LeaseOptions {
  readonly kube: Kube;
  readonly namespace: string;
  readonly name: string;
  /** Our identity; unique among the replicas. */
  readonly identity: string;
  readonly durationSeconds: number;
  readonly renewDeadlineSeconds: number;
  readonly retrySeconds: number;
  readonly log: Log;
  /** Called at the start, and after each change. */
  readonly onHolding: (isHolder: boolean) => void;
}

const lease = z.object({
  metadata,
  spec: z
    .object({
      holderIdentity: z.string().nullish(),
      leaseDurationSeconds: z.number().nullish(),
      leaseTransitions: z.number().nullish(),
      acquireTime: z.string().nullish(),
    })
    .default({}),
});
type Lease = z.infer<typeof lease>;

/**
 * Runs `lead` while we hold the Lease, again and again until aborted. Its signal aborts when the Lease could not be
 * renewed in time. A holder is considered dead when its Lease has not changed for its duration by our own clock: clocks
 * are not compared.
 */
export async function runUnderLease(
  options: LeaseOptions,
  lead: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { identity, retrySeconds, log, onHolding } = options;
  onHolding(false);
  let seen: { readonly version: string; readonly at: number } | undefined;
  while (!signal.aborted) {
    try {
      const current = await read(options);
      if (current !== undefined && current.metadata.resourceVersion !== seen?.version) {
        seen = { version: current.metadata.resourceVersion, at: Date.now() };
      }
      if (isFree(current, seen?.at ?? 0, identity) && (await take(options, current))) {
        log.info({ lease: options.name, identity }, 'this bridge holds the Lease');
        onHolding(true);
        await leadAndRenew(options, lead, signal).finally(() => onHolding(false));
        log.info({ lease: options.name, identity }, 'this bridge no longer holds the Lease');
      }
    } catch (error) {
      if (signal.aborted) return;
      log.warn({ lease: options.name, err: error }, 'the Lease could not be acquired');
    }
    await sleep(retrySeconds * 1000 * (1 + Math.random() / 5), undefined, { signal }).catch(() => undefined);
  }
}

async function leadAndRenew(
  options: LeaseOptions,
  lead: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const lost = new AbortController();
  const ending = AbortSignal.any([signal, lost.signal]);
  const leading = lead(ending).finally(() => lost.abort());
  // Awaited below; until then it must not count as unhandled.
  leading.catch(() => undefined);
  let renewedAt = Date.now();
  while (!ending.aborted) {
    await sleep(options.retrySeconds * 1000, undefined, { signal: ending }).catch(() => undefined);
    if (ending.aborted) break;
    try {
      const current = await read(options);
      if (current?.spec.holderIdentity !== options.identity) break;
      if (await take(options, current)) renewedAt = Date.now();
    } catch (error) {
      options.log.warn({ lease: options.name, err: error }, 'the Lease could not be renewed');
    }
    if (Date.now() - renewedAt > options.renewDeadlineSeconds * 1000) break;
  }
  lost.abort();
  try {
    await leading;
  } finally {
    await release(options).catch(() => undefined);
  }
}

function isFree(current: Lease | undefined, unchangedSince: number, identity: string): boolean {
  const holder = current?.spec.holderIdentity;
  if (!holder || holder === identity) return true;
  return Date.now() - unchangedSince > (current?.spec.leaseDurationSeconds ?? 0) * 1000;
}

async function read({ kube, namespace, name, retrySeconds }: LeaseOptions): Promise<Lease | undefined> {
  const path = leasePath({ namespace, name });
  const found = await kube.find(path, { timeoutMs: retrySeconds * 1000 });
  return found === undefined ? undefined : lease.parse(found);
}

/** Writes our identity into the Lease; false when another replica was faster. */
async function take(options: LeaseOptions, current: Lease | undefined): Promise<boolean> {
  const { kube, namespace, name, identity, durationSeconds, retrySeconds } = options;
  const isOurs = current?.spec.holderIdentity === identity;
  const now = microTime();
  const body = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace, name, ...(current && { resourceVersion: current.metadata.resourceVersion }) },
    spec: {
      holderIdentity: identity,
      leaseDurationSeconds: Math.max(1, Math.round(durationSeconds)),
      acquireTime: (isOurs && current.spec.acquireTime) || now,
      renewTime: now,
      leaseTransitions: (current?.spec.leaseTransitions ?? 0) + (isOurs || current === undefined ? 0 : 1),
    },
  };
  const timeoutMs = retrySeconds * 1000;
  try {
    if (current === undefined) {
      await kube.request({ method: 'POST', path: leaseCollection(namespace), body, timeoutMs });
    } else await kube.request({ method: 'PUT', path: leasePath({ namespace, name }), body, timeoutMs });
    return true;
  } catch (error) {
    if (isConflict(error) || isAlreadyExists(error)) return false;
    throw error;
  }
}

/** Lets the next replica lead at once. */
async function release(options: LeaseOptions): Promise<void> {
  const current = await read(options);
  if (current?.spec.holderIdentity !== options.identity) return;
  const { resourceVersion } = current.metadata;
  await options.kube.patch(leasePath(options), { metadata: { resourceVersion }, spec: { holderIdentity: '' } });
}

const microTime = (): string => new Date().toISOString().replace('Z', '000Z');
