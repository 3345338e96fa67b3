import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Kube } from './client.ts';
import { metadata } from './objects/metadata.ts';
import { leasePath } from './paths.ts';

/** The Leases of bridges: that of the elected one is baremetal-operator's, so that only one of the two is active. */
export const LEASES = { elected: 'baremetal-operator', alone: 'temper-bridge' } as const;

/** Audience of the tokens with which workers hand views to a bridge: no other server accepts them. */
export const VIEWS_AUDIENCE = 'temper-bridge';
/** The path of the bridge, which is the path of the right to use it, too. */
export const VIEWS_PATH = '/views';

const READ_MS = 2_000;

/** Where the active bridge takes views from workers. */
export interface LeaderAddress {
  readonly url: string;
  /** The bridge's own certificate (PEM), by which workers know it. */
  readonly certificate: string;
}

const written = z.object({ url: z.string(), certificate: z.string(), holder: z.string() });
const lease = z.object({
  metadata,
  spec: z
    .object({ renewTime: z.string().catch(''), holderIdentity: z.string().catch('') })
    .catch({ renewTime: '', holderIdentity: '' }),
});

/** Bridges of several Temporal namespaces may share a Lease. The name of such a namespace may be longer than that of an annotation. */
const annotationOf = (temporalNamespace: string): string =>
  `views.temper.metal3.io/${createHash('sha256').update(temporalNamespace).digest('hex').slice(0, 16)}`;

/** The address as an annotation of the Lease of this holder. */
export const addressAnnotation = (
  temporalNamespace: string,
  holder: string,
  address: LeaderAddress,
): Readonly<Record<string, string>> => ({ [annotationOf(temporalNamespace)]: JSON.stringify({ ...address, holder }) });

/**
 * The address of the bridge of a Temporal namespace, from the Lease that was renewed last; undefined when no Lease has
 * one. In the Lease of elected bridges, only the holder's own address counts: another one has left it behind.
 */
export async function readLeader(
  kube: Kube,
  { namespace, temporalNamespace }: { readonly namespace: string; readonly temporalNamespace: string },
): Promise<LeaderAddress | undefined> {
  const read = async (name: string): Promise<readonly { at: string; address: LeaderAddress }[]> => {
    const found = await kube.find(leasePath({ namespace, name }), { timeoutMs: READ_MS });
    if (found === undefined) return [];
    const { metadata: own, spec } = lease.parse(found);
    const text = own.annotations[annotationOf(temporalNamespace)];
    if (text === undefined) return [];
    const { holder, ...address } = written.parse(JSON.parse(text));
    return name === LEASES.elected && holder !== spec.holderIdentity ? [] : [{ at: spec.renewTime, address }];
  };
  const found = (await Promise.all(Object.values(LEASES).map(read))).flat();
  return found.toSorted((a, b) => (a.at < b.at ? 1 : -1))[0]?.address;
}
