import type { Kube } from '../../../platform/kube.ts';
import { KINDS } from '../../../platform/kube-kinds.ts';
import { collectionPath, objectPath } from '../../../platform/kube-paths.ts';

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
