import { z } from 'zod';
import { ipPool } from '../../../api/ipam/schema.ts';
import type { Kube } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { collectionPath, objectPath, type Resource } from '../../../kube/paths.ts';

/** Replaces the controllers of pools, as far as claims show them. To be removed when there are such controllers. */

export const IP_POOL = { kind: 'IPPool', apiVersion: KINDS.ipClaim.apiVersion, plural: 'ippools' };
/** A pool of Cluster API's own IPAM provider. */
export const IN_CLUSTER_POOL = {
  kind: 'InClusterIPPool',
  apiVersion: 'ipam.cluster.x-k8s.io/v1alpha2',
  plural: 'inclusterippools',
};

const claimObject = z.object({ spec: z.object({ pool: z.object({ name: z.string() }) }) });
const statusOf = (kind: Resource, namespace: string, name: string): string =>
  `${objectPath(kind, { namespace, name })}/status`;

/**
 * Answers an IPClaim with this address, or with the one that its IPPool reserves for a claim of this name; removes an
 * earlier refusal. Throws when the pool does not exist.
 */
export async function giveAddress(kube: Kube, namespace: string, claim: string, address?: string): Promise<void> {
  const { pool } = claimObject.parse(
    await kube.request({ path: objectPath(KINDS.ipClaim, { namespace, name: claim }) }),
  ).spec;
  const read = await kube.request({ path: objectPath(IP_POOL, { namespace, name: pool.name }) });
  const { prefix, gateway, dnsServers, preAllocations } = ipPool.parse(read).spec;
  const given = address ?? preAllocations?.[claim];
  if (given === undefined) throw new Error(`IPPool ${pool.name} keeps no address for ${claim}`);
  const name = `${claim}-address`;
  await kube.request({
    method: 'POST',
    path: collectionPath(KINDS.ipAddress, namespace),
    body: {
      apiVersion: KINDS.ipAddress.apiVersion,
      kind: 'IPAddress',
      metadata: { name, namespace },
      spec: {
        address: given,
        prefix,
        gateway,
        dnsServers,
        claim: { name: claim, namespace },
        pool: { name: pool.name, namespace },
      },
    },
  });
  await kube.patch(statusOf(KINDS.ipClaim, namespace, claim), {
    status: { address: { name, namespace }, errorMessage: null },
  });
}

/** Answers an IPClaim with a refusal. */
export const refuseAddress = (kube: Kube, namespace: string, claim: string, errorMessage: string): Promise<unknown> =>
  kube.patch(statusOf(KINDS.ipClaim, namespace, claim), { status: { errorMessage } });

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
  await kube.patch(statusOf(KINDS.ipAddressClaim, namespace, claim), { status: { addressRef: { name } } });
}
