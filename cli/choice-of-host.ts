import { z } from 'zod';
import { orEmpty } from '../api/meta/lenient.ts';
import { metal3MachineSpec } from '../api/metal3machine/schema.ts';
import { defined } from '../domain/defined.ts';
import type { Candidate, Criteria } from '../domain/machine/choose-host/select-host.ts';
import { HOST_LABELS } from '../domain/machine/names.ts';
import { KINDS } from '../kube/kinds.ts';
import { readHostFacts } from '../kube/objects/baremetalhost.ts';
import { isAbandoned } from '../kube/objects/cluster.ts';
import { readMachine } from '../kube/objects/machine.ts';
import { type MachineOrigin, reuseLabelOf } from '../kube/objects/machineset.ts';
import { readMetadata } from '../kube/objects/metadata.ts';
import { readMetal3Machine } from '../kube/objects/metal3machine.ts';
import type { Reading } from './reading.ts';

/** What a machine without a host asks for, and the hosts of its namespace, as far as they may be read. */
export interface HostSearch {
  readonly hosts: readonly Candidate[];
  readonly criteria: Criteria;
}

export type Reads = Pick<Reading, 'find' | 'list'>;

const { hostSelector: selector } = metal3MachineSpec.shape;
const wish = z.object({ spec: orEmpty({ hostSelector: selector.catch(undefined) }) });

/** `machine`: the Machine that owns the Metal3Machine, if there is one. */
export function searchOfMetal3Machine(
  reading: Reads,
  metal3Machine: unknown,
  machine: unknown,
  hosts: readonly unknown[],
): Promise<HostSearch> {
  const { namespace, name } = readMetal3Machine(metal3Machine).metadata;
  const { hostSelector } = wish.parse(metal3Machine).spec;
  const owner = machine === undefined ? undefined : readMachine(machine).owner;
  const criteria = {
    machine: { namespace, name },
    ...defined({ hostSelector, failureDomain: owner?.failureDomain }),
  };
  return searchOf(reading, criteria, hosts, owner);
}

/** Reads what decides about reserved hosts, if there are any. `origin`: the objects from which the machine comes. */
export async function searchOf(
  reading: Reads,
  criteria: Criteria,
  hosts: readonly unknown[],
  origin: MachineOrigin = {},
): Promise<HostSearch> {
  const { namespace } = criteria.machine;
  const facts = hosts.map(readHostFacts);
  if (!facts.some(({ labels }) => HOST_LABELS.nodeReuse in labels)) return { hosts: facts, criteria };
  const { controlPlane, machineSet } = origin;
  const [clusters, itsSet] = await Promise.all([
    reading.list(KINDS.cluster, namespace),
    controlPlane === undefined && machineSet !== undefined
      ? reading.find(KINDS.machineSet, { namespace, name: machineSet.name })
      : undefined,
  ]);
  const reuse = reuseLabelOf(origin, itsSet);
  const byName = new Map(clusters?.map((cluster) => [readMetadata(cluster).name, cluster]));
  const isFreed = (host: Candidate): boolean =>
    clusters !== undefined && isAbandoned(host, (_, { name }) => byName.get(name));
  return {
    hosts: facts.map((host) => (isFreed(host) ? { ...host, abandoned: true } : host)),
    criteria: { ...criteria, ...defined({ reuse }) },
  };
}
