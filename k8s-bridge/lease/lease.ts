import { z } from 'zod';
import { BOUNDS } from '../../domain/bounds/bounds.ts';
import { boundedJson } from '../../domain/bounds/json.ts';
import { RENEWALS } from '../../domain/other-operators/running.ts';
import { isAlreadyExists, isConflict, type Kube } from '../../kube/client.ts';
import { metadata } from '../../kube/objects/metadata.ts';
import { leaseCollection, leasePath } from '../../kube/paths.ts';

export interface LeaseRef {
  readonly kube: Kube;
  readonly namespace: string;
  readonly name: string;
  /** Our identity; unique among the replicas. */
  readonly identity: string;
  readonly durationSeconds: number;
  readonly retrySeconds: number;
}

/** Limit of the list: more bridges than run in one namespace. Bridges that have ended drop out of it. */
const MOST_RENEWALS = 100;
const renewals = z.array(z.tuple([z.string(), z.number()])).catch([]);

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
export type Lease = z.infer<typeof lease>;

export async function readLease({ kube, namespace, name, retrySeconds }: LeaseRef): Promise<Lease | undefined> {
  const path = leasePath({ namespace, name });
  const found = await kube.find(path, { timeoutMs: retrySeconds * 1000 });
  return found === undefined ? undefined : lease.parse(found);
}

function renewalsIn(lease: Lease | undefined): z.infer<typeof renewals> {
  const text = lease?.metadata.annotations?.[RENEWALS];
  if (text === undefined) return [];
  try {
    return renewals.parse(boundedJson(text, BOUNDS.annotation));
  } catch {
    return [];
  }
}

/** The number of this bridge's last renewal, also when other bridges have renewed the Lease since. */
export const renewalOf = (lease: Lease | undefined, identity: string): number | undefined =>
  renewalsIn(lease).find(([bridge]) => bridge === identity)?.[1];

function withRenewal(current: Lease | undefined, identity: string): string {
  const others = renewalsIn(current).filter(([bridge]) => bridge !== identity);
  const number = (renewalOf(current, identity) ?? 0) + 1;
  return JSON.stringify([...others.slice(1 - MOST_RENEWALS), [identity, number]]);
}

/** Writes our identity into the Lease. Returns what was written; undefined when another replica was faster. */
export async function takeLease(ref: LeaseRef, current: Lease | undefined): Promise<Lease | undefined> {
  const { kube, namespace, name, identity, durationSeconds, retrySeconds } = ref;
  const isOurs = current?.spec.holderIdentity === identity;
  const now = microTime();
  const body = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      namespace,
      name,
      annotations: { ...current?.metadata.annotations, [RENEWALS]: withRenewal(current, identity) },
      ...(current && { resourceVersion: current.metadata.resourceVersion }),
    },
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
    const written =
      current === undefined
        ? await kube.request({ method: 'POST', path: leaseCollection(namespace), body, timeoutMs })
        : await kube.request({ method: 'PUT', path: leasePath({ namespace, name }), body, timeoutMs });
    return lease.parse(written);
  } catch (error) {
    if (isConflict(error) || isAlreadyExists(error)) return undefined;
    throw error;
  }
}

/** Releases the Lease, so that the next replica leads at once. */
export async function releaseLease(ref: LeaseRef): Promise<void> {
  const current = await readLease(ref);
  if (current?.spec.holderIdentity !== ref.identity) return;
  const { resourceVersion } = current.metadata;
  await ref.kube.patch(leasePath(ref), { metadata: { resourceVersion }, spec: { holderIdentity: '' } });
}

const microTime = (): string => new Date().toISOString().replace('Z', '000Z');
