import type { Kube } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { collectionPath } from '../../../kube/paths.ts';

const COUNTED = 'count/ipaddresses.ipam.metal3.io';

/** A quota for the IPAddresses of Metal3 in a namespace, whatever exists there already. */
export async function addressQuota(kube: Kube, namespace: string) {
  const path = `/api/v1/namespaces/${namespace}/resourcequotas`;
  await kube.request({ method: 'POST', path, body: { metadata: { name: 'addresses' }, spec: {} } });
  return {
    /** The quota counts once its status does, which a controller writes that the lab does not run. */
    set: async (count: string): Promise<void> => {
      const hard = { [COUNTED]: count };
      await kube.patch(`${path}/addresses`, { spec: { hard } });
      await kube.patch(`${path}/addresses/status`, { status: { hard, used: { [COUNTED]: '0' } } });
    },
    /** True when the API server refuses another IPAddress. */
    isReached: (): Promise<boolean> => {
      const { apiVersion, kind } = KINDS.ipAddress;
      const spec = { address: '192.0.2.1', claim: { name: 'x' }, pool: { name: 'x' } };
      const body = { apiVersion, kind, metadata: { name: 'tried', namespace }, spec };
      const creation = { method: 'POST', path: collectionPath(KINDS.ipAddress, namespace), body } as const;
      return kube.request({ ...creation, query: { dryRun: 'All' } }).then(
        () => false,
        (error: unknown) => String(error).includes('exceeded quota'),
      );
    },
  };
}
