import { addressClaimNames } from '../../../domain/data/addresses.ts';
import { examine } from '../../../domain/data/examine.ts';
import type { AddressObjects, DataObjects } from '../../../domain/data/objects.ts';
import type { Kube } from '../../../kube/client.ts';
import { KINDS } from '../../../kube/kinds.ts';
import { readAddress, readAddressClaim } from '../../../kube/objects/addresses.ts';
import { hostInputs } from '../../../kube/objects/baremetalhost.ts';
import { readMachine } from '../../../kube/objects/machine.ts';
import { namedFacts, ownerOf } from '../../../kube/objects/metadata.ts';
import { dataFacts, type Metal3DataRead } from '../../../kube/objects/metal3data.ts';
import { machineOfClaim, readDataClaim } from '../../../kube/objects/metal3dataclaim.ts';
import { readDataTemplate } from '../../../kube/objects/metal3datatemplate.ts';
import { readMetal3Machine } from '../../../kube/objects/metal3machine.ts';
import { hostPath, isObjectName, objectPath, type Resource, secretPath } from '../../../kube/paths.ts';

export interface Collected {
  readonly objects: DataObjects;
  /** Name of the machine's Cluster. */
  readonly cluster: string;
}

/** Reads all inputs of a Metal3Data from the API server. */
export async function collect(kube: Kube, data: Metal3DataRead): Promise<Collected> {
  const { namespace } = data.metadata;
  const facts = dataFacts(data);
  const find = (kind: Resource, name: string | undefined): Promise<unknown> =>
    name === undefined || !isObjectName(name) ? nothing : kube.find(objectPath(kind, { namespace, name }));

  const [templateObject, claimObject] = await Promise.all([
    find(KINDS.dataTemplate, facts.template?.name),
    find(KINDS.dataClaim, facts.claim?.name),
  ]);
  const owner = claimObject === undefined ? undefined : machineOfClaim(readDataClaim(claimObject));
  const machineObject = await find(KINDS.metal3Machine, owner?.name);
  const metal3Machine = machineObject === undefined ? undefined : readMetal3Machine(machineObject);
  const [ownerObject, hostObject] = await Promise.all([
    find(KINDS.machine, metal3Machine && ownerOf(metal3Machine.metadata, KINDS.machine)?.name),
    metal3Machine?.host === undefined ? nothing : kube.find(hostPath({ namespace, name: metal3Machine.host })),
  ]);
  const machine = ownerObject === undefined ? undefined : readMachine(ownerObject);
  const base: DataObjects = {
    data: facts,
    ...(templateObject !== undefined && readDataTemplate(templateObject)),
    ...(claimObject !== undefined && { claim: { metal3Machine: owner?.name } }),
    metal3Machine: metal3Machine?.facts,
    machine: machine && namedFacts(machine.metadata),
    host: hostObject === undefined ? undefined : hostInputs(hostObject),
    hasSecret: () => false,
    addresses: NONE,
  };
  const wanted = examine(base);
  const secrets = new Set<string>();
  for (const { name } of wanted.secrets) {
    if ((await kube.find(secretPath({ namespace, name }))) !== undefined) secrets.add(name);
  }
  const addresses = await findAddresses(
    find,
    addressClaimNames(wanted.unclaimed, facts.name, metal3Machine?.host ?? ''),
  );
  return {
    objects: { ...base, hasSecret: (name) => secrets.has(name), addresses },
    cluster: machine?.owner.clusterName ?? '',
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
  const ipClaims = await gather(KINDS.ipClaim, names.ipClaims, readAddressClaim);
  const ipAddressClaims = await gather(KINDS.ipAddressClaim, names.ipAddressClaims, readAddressClaim);
  const given = (claims: typeof ipClaims): readonly (string | undefined)[] =>
    [...claims.values()].map(({ address }) => address);
  const ipAddresses = await gather(KINDS.ipAddress, given(ipClaims), readAddress);
  const clusterIpAddresses = await gather(KINDS.clusterIpAddress, given(ipAddressClaims), readAddress);
  return {
    ipClaim: (name) => ipClaims.get(name),
    ipAddress: (name) => ipAddresses.get(name),
    ipAddressClaim: (name) => ipAddressClaims.get(name),
    clusterIpAddress: (name) => clusterIpAddresses.get(name),
  };
}
