import { z } from 'zod';
import { ipPool } from '../../../api/ipam/schema.ts';
import type { Kube } from '../../../platform/kube.ts';
import { KINDS } from '../../../platform/kube-kinds.ts';
import { collectionPath, objectPath } from '../../../platform/kube-paths.ts';

export const IP_POOL = { kind: 'IPPool', apiVersion: KINDS.ipClaim.apiVersion, plural: 'ippools' };

export interface GivenAddress {
  readonly address: string;
  readonly prefix: number;
  readonly gateway?: string;
  readonly dnsServers?: readonly string[];
}

/** Answers an IPClaim as the controller of IPPools does. Stands in for it until there is one. */
export async function giveAddress(kube: Kube, namespace: string, claim: string, given: GivenAddress): Promise<void> {
  const name = `${claim}-address`;
  const spec = { ...given, claim: { name: claim, namespace }, pool: { name: 'any', namespace } };
  await kube.request({
    method: 'POST',
    path: collectionPath(KINDS.ipAddress, namespace),
    body: { apiVersion: KINDS.ipAddress.apiVersion, kind: 'IPAddress', metadata: { name, namespace }, spec },
  });
  const status = { address: { name, namespace } };
  await kube.patch(`${objectPath(KINDS.ipClaim, { namespace, name: claim })}/status`, { status });
}

const claimObject = z.object({ spec: z.object({ pool: z.object({ name: z.string() }) }) });

/** Answers an IPClaim with the address that its IPPool keeps for a claim of this name. */
export async function giveKeptAddress(kube: Kube, namespace: string, claim: string): Promise<void> {
  const { pool } = claimObject.parse(await kube.find(objectPath(KINDS.ipClaim, { namespace, name: claim }))).spec;
  const { spec } = ipPool.parse(await kube.find(objectPath(IP_POOL, { namespace, name: pool.name })));
  const address = spec.preAllocations?.[claim];
  if (address === undefined) throw new Error(`IPPool ${pool.name} keeps no address for ${claim}`);
  await giveAddress(kube, namespace, claim, { address, prefix: spec.prefix ?? 0 });
}

/** Answers an IPClaim that nothing can be given to. */
export const refuseAddress = (kube: Kube, namespace: string, claim: string, errorMessage: string): Promise<unknown> =>
  kube.patch(`${objectPath(KINDS.ipClaim, { namespace, name: claim })}/status`, { status: { errorMessage } });

/** The same for an IPAddressClaim of Cluster API. */
export async function giveClusterAddress(
  kube: Kube,
  namespace: string,
  claim: string,
  { address, prefix, gateway }: GivenAddress,
): Promise<void> {
  const name = `${claim}-address`;
  const spec = {
    address,
    prefix,
    gateway,
    claimRef: { name: claim },
    poolRef: { name: 'any', kind: 'Any', apiGroup: 'any' },
  };
  const { apiVersion } = KINDS.clusterIpAddress;
  await kube.request({
    method: 'POST',
    path: collectionPath(KINDS.clusterIpAddress, namespace),
    body: { apiVersion, kind: 'IPAddress', metadata: { name, namespace }, spec },
  });
  await kube.patch(`${objectPath(KINDS.ipAddressClaim, { namespace, name: claim })}/status`, {
    status: { addressRef: { name } },
  });
}
