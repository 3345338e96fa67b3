import type { BareMetalHost } from '../../api/baremetalhost/types.ts';
import type { HostRef } from '../../domain/ironic/orders.ts';
import type { Kube } from '../../kube/client.ts';
import { hostPath } from '../../kube/paths.ts';

/** Creates a BareMetalHost that is to be on, with these metadata and no BMC. */
export async function postHost(
  kube: Pick<Kube, 'request'>,
  namespace: string,
  name: string,
  metadata: object,
): Promise<HostRef> {
  const body = {
    apiVersion: 'metal3.io/v1alpha1',
    kind: 'BareMetalHost',
    metadata: { name, ...metadata },
    spec: { online: true },
  };
  const path = hostPath({ namespace, name: '' }).replace(/\/$/, '');
  const made = (await kube.request({ method: 'POST', path, body })) as BareMetalHost;
  return { namespace, name, uid: made.metadata.uid ?? '' };
}
