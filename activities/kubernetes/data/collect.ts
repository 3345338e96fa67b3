import { addressClaimNames } from '../../../domain/data/addresses.ts';
import { examine } from '../../../domain/data/examine.ts';
import type { AddressObjects, DataObjects } from '../../../domain/data/objects.ts';
import type { Kube } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { hostPath, isObjectName, objectPath, type Resource, secretPath } from '../../../kube/paths.ts';
import {
  addressFacts,
  clusterOfMachine,
  type DataObject,
  dataFacts,
  hostInputs,
  hostNameOf,
  ipAddressClaimFacts,
  ipClaimFacts,
  machineOfClaim,
  metal3MachineFacts,
  metaOf,
  namedFacts,
  ownerOf,
  readClaim,
  readTemplate,
} from './objects.ts';

export interface Collected {
  readonly objects: DataObjects;
  /** Name of the machine's Cluster. */
  readonly cluster: string;
}

/** Reads all inputs of a Metal3Data from the API server. */
export async function collect(kube: Kube, data: DataObject): Promise<Collected> {
  const { namespace } = data.metadata;
  const facts = dataFacts(data);
  const find = (kind: Resource, name: string | undefined): Promise<unknown> =>
    name === undefined || !isObjectName(name) ? nothing : kube.find(objectPath(kind, { namespace, name }));

  const [templateObject, claimObject] = await Promise.all([
    find(KINDS.dataTemplate, facts.template?.name),
    find(KINDS.dataClaim, facts.claim?.name),
  ]);
  const owner = claimObject === undefined ? undefined : machineOfClaim(readClaim(claimObject));
  const machineObject = await find(KINDS.metal3Machine, owner?.name);
  const metal3Machine = machineObject === undefined ? undefined : metal3MachineFacts(machineObject);
  const hostName = metal3Machine && hostNameOf(metal3Machine);
  const [ownerMachine, host] = await Promise.all([
    find(KINDS.machine, machineObject === undefined ? undefined : ownerOf(metaOf(machineObject), KINDS.machine)?.name),
    hostName === undefined ? nothing : kube.find(hostPath({ namespace, name: hostName })),
  ]);
  const base: DataObjects = {
    data: facts,
    ...(templateObject !== undefined && readTemplate(templateObject)),
    ...(claimObject !== undefined && { claim: { metal3Machine: owner?.name } }),
    metal3Machine,
    machine: ownerMachine === undefined ? undefined : namedFacts(ownerMachine),
    host: host === undefined ? undefined : hostInputs(host),
    hasSecret: () => false,
    addresses: NONE,
  };
  const wanted = examine(base);
  const secrets = new Set<string>();
  for (const { name } of wanted.secrets) {
    if ((await kube.find(secretPath({ namespace, name }))) !== undefined) secrets.add(name);
  }
  const addresses = await findAddresses(find, addressClaimNames(wanted.unclaimed, facts.name, hostName ?? ''));
  return {
    objects: { ...base, hasSecret: (name) => secrets.has(name), addresses },
    cluster: ownerMachine === undefined ? '' : clusterOfMachine(ownerMachine),
  };
}

const nothing = Promise.resolve(undefined);
const none = (): undefined => undefined;
const NONE: AddressObjects = { ipClaim: none, ipAddress: none, ipAddressClaim: none, clusterIpAddress: none };

type Find = (kind: Resource, name: string | undefined) => Promise<unknown>;

async function findAddresses(
  find: Find,
  names: { readonly ipClaims: readonly string[]; readonly ipAddressClaims: readonly string[] },
): Promise<AddressObjects> {
  const gather = async <Facts>(
    kind: Resource,
    wanted: readonly (string | undefined)[],
    read: (object: unknown) => Facts,
  ): Promise<ReadonlyMap<string, Facts>> => {
    const found = new Map<string, Facts>();
    for (const name of wanted) {
      const object = await find(kind, name);
      if (name !== undefined && object !== undefined) found.set(name, read(object));
    }
    return found;
  };
  const ipClaims = await gather(KINDS.ipClaim, names.ipClaims, ipClaimFacts);
  const ipAddressClaims = await gather(KINDS.ipAddressClaim, names.ipAddressClaims, ipAddressClaimFacts);
  const given = (claims: typeof ipClaims): readonly (string | undefined)[] =>
    [...claims.values()].map(({ address }) => address);
  const ipAddresses = await gather(KINDS.ipAddress, given(ipClaims), addressFacts);
  const clusterIpAddresses = await gather(KINDS.clusterIpAddress, given(ipAddressClaims), addressFacts);
  return {
    ipClaim: (name) => ipClaims.get(name),
    ipAddress: (name) => ipAddresses.get(name),
    ipAddressClaim: (name) => ipAddressClaims.get(name),
    clusterIpAddress: (name) => clusterIpAddresses.get(name),
  };
}
