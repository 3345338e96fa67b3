import type { ClaimKind } from '../../../domain/ip-pool/names.ts';
import { KINDS } from '../../../kube/kinds.ts';
import type { openScene } from './scene.ts';

export const CLAIMS = { IPClaim: KINDS.ipClaim, IPAddressClaim: KINDS.ipAddressClaim } as const;
export const ADDRESSES = { IPClaim: KINDS.ipAddress, IPAddressClaim: KINDS.clusterIpAddress } as const;
export const BOTH: readonly ClaimKind[] = ['IPClaim', 'IPAddressClaim'];

/** IPPools, and claims and IPAddresses of both kinds, in a scene. */
export function poolsIn(scene: () => Awaited<ReturnType<typeof openScene>>) {
  return {
    pool: (name: string, spec: object, metadata: object = {}) =>
      scene().create(KINDS.ipPool, name, { metadata, spec: { namePrefix: name, ...spec } }),
    claim: (kind: ClaimKind, name: string, of: string, metadata: object = {}) =>
      scene().create(CLAIMS[kind], name, {
        metadata,
        spec:
          kind === 'IPClaim'
            ? { pool: { name: of } }
            : { clusterName: 'blue', poolRef: { name: of, kind: 'IPPool', apiGroup: 'ipam.metal3.io' } },
      }),
    /** Name of the IPAddress that a claim shows. */
    addressOf: async (kind: ClaimKind, name: string): Promise<unknown> => {
      const status = (await scene().read(CLAIMS[kind], name))?.status ?? {};
      return ((status['address'] ?? status['addressRef']) as { readonly name?: string } | undefined)?.name;
    },
    /** Addresses of a pool's IPAddresses, of both kinds. */
    allocated: async (of: string): Promise<readonly string[]> => {
      const objects = (await Promise.all(BOTH.map((kind) => scene().all(ADDRESSES[kind])))).flat();
      return objects.flatMap(({ spec = {} }) => {
        const { name } = (spec['pool'] ?? spec['poolRef']) as { readonly name: string };
        return name === of ? [String(spec['address'])] : [];
      });
    },
    /** The addresses that the status of a pool lists. */
    indexesOf: async (of: string): Promise<unknown> => (await scene().read(KINDS.ipPool, of))?.status?.['indexes'],
  };
}
