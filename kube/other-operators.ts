import { z } from 'zod';
import { lenientText, maybeText } from '../api/meta/lenient.ts';
import { BOUNDS } from '../domain/bounds/bounds.ts';
import { type LeaseSeen, RENEWALS } from '../domain/other-operators/running.ts';
import type { Kube } from './client.ts';
import { listAll } from './list-all.ts';
import { metadata } from './objects/metadata.ts';
import { leaseCollection } from './paths.ts';

const lease = z.object({
  metadata,
  spec: z
    .object({ holderIdentity: lenientText, renewTime: maybeText, leaseDurationSeconds: z.number().catch(0) })
    .catch({ holderIdentity: '', renewTime: undefined, leaseDurationSeconds: 0 }),
});

/** The Leases with this name, in all namespaces or in one. */
export async function leasesNamed(
  kube: Pick<Kube, 'request'>,
  name: string,
  namespace?: string,
): Promise<readonly LeaseSeen[]> {
  // The right to Leases of this name alone is enough for a list with this selector.
  return (await listAll(kube, leaseCollection(namespace), { fieldSelector: `metadata.name=${name}` })).map(leaseSeen);
}

function leaseSeen(object: unknown): LeaseSeen {
  const { metadata: meta, spec } = lease.parse(object);
  const { holderIdentity: holder, renewTime = '', leaseDurationSeconds } = spec;
  return {
    namespace: meta.namespace,
    name: meta.name,
    holder: holder.slice(0, BOUNDS.leaseHolder.characters),
    renewedAt: Date.parse(renewTime),
    durationMs: leaseDurationSeconds * 1_000,
    isTempers: meta.annotations[RENEWALS]?.includes(`[${JSON.stringify(holder)},`) ?? false,
  };
}
