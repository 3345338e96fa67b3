import { z } from 'zod';
import type { Kube } from './client.ts';
import { metadata } from './objects/metadata.ts';
import { leasePath } from './paths.ts';

/** The Leases of bridges: that of the elected one is baremetal-operator's, so that only one of the two is active. */
export const LEASES = { elected: 'baremetal-operator', alone: 'temper-bridge' } as const;

/** Audience of the tokens with which workers hand views to a bridge: no other server accepts them. */
export const VIEWS_AUDIENCE = 'temper-bridge';
/** The path, and the verb and path of the right to use it. */
export const VIEWS_PATH = '/views';

/** Where the active bridge takes views from workers. */
export interface LeaderAddress {
  readonly url: string;
  /** The bridge's own certificate (PEM), by which workers know it. */
  readonly certificate: string;
}

const URL_ANNOTATION = 'temper.metal3.io/views-url';
const CERTIFICATE_ANNOTATION = 'temper.metal3.io/views-certificate';

/** The address as annotations of the Lease. */
export const annotationsOf = ({ url, certificate }: LeaderAddress): Readonly<Record<string, string>> => ({
  [URL_ANNOTATION]: url,
  [CERTIFICATE_ANNOTATION]: certificate,
});

const lease = z.object({ metadata, spec: z.object({ renewTime: z.string().catch('') }).catch({ renewTime: '' }) });

/** The address in the Lease that was renewed last; undefined when no Lease has one. */
export async function readLeader(kube: Kube, namespace: string): Promise<LeaderAddress | undefined> {
  const found = await Promise.all(Object.values(LEASES).map((name) => kube.find(leasePath({ namespace, name }))));
  const [newest] = found
    .filter((one) => one !== undefined)
    .map((one) => lease.parse(one))
    .filter(({ metadata: { annotations } }) => annotations[URL_ANNOTATION] && annotations[CERTIFICATE_ANNOTATION])
    .toSorted((a, b) => (a.spec.renewTime < b.spec.renewTime ? 1 : -1));
  if (newest === undefined) return undefined;
  const { [URL_ANNOTATION]: url = '', [CERTIFICATE_ANNOTATION]: certificate = '' } = newest.metadata.annotations;
  return { url, certificate };
}
