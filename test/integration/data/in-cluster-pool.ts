import { z } from 'zod';
import type { Kube } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { collectionPath, objectPath } from '../../../kube/paths.ts';

/** A pool of another IPAM provider of Cluster API, whose controller the tests replace. */
export const IN_CLUSTER_POOL = {
  kind: 'InClusterIPPool',
  apiVersion: 'ipam.cluster.x-k8s.io/v1alpha2',
  plural: 'inclusterippools',
};

const poolReference = z.object({ name: z.string(), kind: z.string(), apiGroup: z.string() });
const clusterClaim = z.object({ spec: z.object({ poolRef: poolReference }) });
const inClusterPool = z.object({ spec: z.object({ prefix: z.number(), gateway: z.string().optional() }) });

/**
 * Answers an IPAddressClaim of Cluster API with this address of its InClusterIPPool. Throws when the pool does not
 * exist.
 */
export async function giveClusterAddress(kube: Kube, namespace: string, claim: string, address: string): Promise<void> {
  const read = await kube.request({ path: objectPath(KINDS.ipAddressClaim, { namespace, name: claim }) });
  const { poolRef } = clusterClaim.parse(read).spec;
  const pool = await kube.request({ path: objectPath(IN_CLUSTER_POOL, { namespace, name: poolRef.name }) });
  const { prefix, gateway } = inClusterPool.parse(pool).spec;
  const name = `${claim}-address`;
  const { apiVersion } = KINDS.clusterIpAddress;
  await kube.request({
    method: 'POST',
    path: collectionPath(KINDS.clusterIpAddress, namespace),
    body: {
      apiVersion,
      kind: 'IPAddress',
      metadata: { name, namespace },
      spec: { address, prefix, gateway, claimRef: { name: claim }, poolRef },
    },
  });
  const status = `${objectPath(KINDS.ipAddressClaim, { namespace, name: claim })}/status`;
  await kube.patch(status, { status: { addressRef: { name } } });
}
