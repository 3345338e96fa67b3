import { z } from 'zod';
import { claimName } from '../../domain/data/names.ts';
import type { Kube } from '../../kube/client.ts';
import type { Network } from '../node/network/configure.ts';
import type { MachineProgress } from './cluster-progress.ts';

const dataSchema = z.object({ metadata: z.object({ name: z.string() }), spec: z.object({ claim: named() }) });
const addressSchema = z.object({
  spec: z.object({
    address: z.string(),
    prefix: z.number().optional(),
    gateway: z.string().optional(),
    dnsServers: z.array(z.string()).optional(),
    claim: named(),
    pool: named(),
  }),
});

/** A Metal3Data of a Metal3Machine, and an IPAddress of a pool. */
export type MachineData = z.infer<typeof dataSchema>;
export type LabAddress = z.infer<typeof addressSchema>;

function named() {
  return z.object({ name: z.string() });
}

/** Reads all of them in the default namespace. */
export async function readAddresses(kube: Kube): Promise<[readonly MachineData[], readonly LabAddress[]]> {
  const list = async <T>(root: string, plural: string, schema: z.ZodType<T>): Promise<readonly T[]> =>
    z
      .object({ items: z.array(schema) })
      .parse(await kube.request({ path: `/apis/${root}/namespaces/default/${plural}` })).items;
  return Promise.all([
    list('infrastructure.cluster.x-k8s.io/v1beta2', 'metal3datas', dataSchema),
    list('ipam.metal3.io/v1alpha1', 'ipaddresses', addressSchema),
  ]);
}

/** Machines whose Node has another address, or whose system another network, than a pool gave to their Metal3Data. */
export function wrongAddresses(
  machines: readonly MachineProgress[],
  networks: ReadonlyMap<MachineProgress['host'], Network | undefined>,
  datas: readonly MachineData[],
  addresses: readonly LabAddress[],
): readonly string[] {
  return machines.flatMap(({ name, address, host }) => {
    const given = addresses
      .filter(({ spec: { claim, pool } }) =>
        datas.some(
          ({ metadata, spec }) => spec.claim.name === name && claimName(metadata.name, pool.name) === claim.name,
        ),
      )
      .map(({ spec }) => spec);
    const own = given.find((each) => each.address === address);
    if (own === undefined) {
      const others = given.map((each) => each.address).join(', ');
      return [`${name}: its Node has the address ${address}, its pool gave ${others === '' ? 'none' : others}`];
    }
    const [actual, wanted] = [wordsOf(networks.get(host)), wordsOf(networkIn(own))];
    return actual === wanted ? [] : [`${name}: the system on ${host} has ${actual}, its pool gave ${wanted}`];
  });
}

const networkIn = ({ address, prefix, gateway, dnsServers = [] }: LabAddress['spec']): Network => ({
  addresses: [`${address}/${prefix ?? 0}`],
  gateways: gateway === undefined ? [] : [gateway],
  dnsServers,
});

function wordsOf(network: Network | undefined): string {
  if (network === undefined) return 'no network';
  const listed = (texts: readonly string[]): string => texts.join(', ') || 'none';
  const { addresses, gateways, dnsServers } = network;
  return `the address ${listed(addresses)}, the gateway ${listed(gateways)} and the DNS server ${listed(dnsServers)}`;
}
