import { z } from 'zod';
import { metal3DataTemplateSpec } from '../../api/metal3datatemplate/schema.ts';
import type { AddressObjects, DataObjects, TemplateFacts } from '../../domain/data/objects.ts';
import type { Find } from '../gather.ts';
import { type FollowedKind, KINDS } from '../kinds.ts';
import { once } from '../once.ts';
import { readAddressClaim, readClusterAddress, readMetal3Address } from './addresses.ts';
import { hostInputs } from './baremetalhost.ts';
import { readMachine } from './machine.ts';
import { metadata, namedFacts, ownerOf } from './metadata.ts';
import { dataFacts, type Metal3DataRead } from './metal3data.ts';
import { machineOfClaim, readDataClaim } from './metal3dataclaim.ts';
import { readMetal3Machine } from './metal3machine.ts';

export interface Assembled {
  readonly objects: DataObjects;
  /** Name of the machine's Cluster, '' while the Machine is not known. */
  readonly cluster: string;
}

/**
 * All objects that a Metal3Data is made from, from a cache or the API server. Addresses and Secrets are looked up on
 * demand.
 */
export function assembleData(data: Metal3DataRead, findAny: Find): Assembled {
  const { namespace } = data.metadata;
  const facts = dataFacts(data);
  const find = <Read>(
    kind: FollowedKind,
    name: string | undefined,
    read: (object: unknown) => Read,
  ): Read | undefined => {
    const found = name ? findAny(kind, { namespace, name }) : undefined;
    return found === undefined ? undefined : read(found);
  };
  const template = find(KINDS.dataTemplate, facts.template?.name, readDataTemplate);
  const claim = find(KINDS.dataClaim, facts.claim?.name, readDataClaim);
  const owner = claim && machineOfClaim(claim)?.name;
  const metal3Machine = find(KINDS.metal3Machine, owner, readMetal3Machine);
  const machineName = metal3Machine && ownerOf(metal3Machine.metadata, KINDS.machine)?.name;
  const machine = find(KINDS.machine, machineName, readMachine);
  const addresses: AddressObjects = {
    ipClaim: (name) => find(KINDS.ipClaim, name, readAddressClaim),
    ipAddress: (name) => find(KINDS.ipAddress, name, readMetal3Address),
    ipAddressClaim: (name) => find(KINDS.ipAddressClaim, name, readAddressClaim),
    clusterIpAddress: (name) => find(KINDS.clusterIpAddress, name, readClusterAddress),
  };
  return {
    objects: {
      data: facts,
      ...template,
      ...(claim !== undefined && { claim: { metal3Machine: owner } }),
      metal3Machine: metal3Machine?.facts,
      machine: machine && namedFacts(machine.metadata),
      host: find(KINDS.host, metal3Machine?.host, hostInputs),
      hasSecret: (name) => findAny(KINDS.secret, { namespace, name }) !== undefined,
      addresses,
    },
    cluster: machine?.owner.clusterName ?? '',
  };
}

const dataTemplate = z.object({ metadata, spec: metal3DataTemplateSpec.prefault({}) });

type DataTemplateRead = { readonly template: TemplateFacts } | { readonly problem: string };

/** The only strict reader: a template that we do not understand completely is not rendered. */
export const readDataTemplate = once((object): DataTemplateRead => {
  const read = dataTemplate.safeParse(object);
  if (!read.success) {
    const issues = read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
    return { problem: `Metal3DataTemplate can not be read: ${issues.join('; ')}` };
  }
  const { metadata, spec } = read.data;
  return {
    template: {
      namespace: metadata.namespace,
      name: metadata.name,
      metaData: spec.metaData,
      networkData: spec.networkData,
    },
  };
});
