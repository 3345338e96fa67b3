import { z } from 'zod';
import { orEmpty } from '../../api/meta/lenient.ts';
import { CLUSTER_GROUP, groupOf } from '../../domain/cluster-api/names.ts';
import type { OwnerMachine } from '../../domain/machine/memory/snapshot.ts';
import { once } from '../once.ts';
import { type Metadata, metadata, reference } from './metadata.ts';

const machineSet = z.object({
  metadata,
  spec: orEmpty({
    template: orEmpty({ spec: orEmpty({ infrastructureRef: reference }) }),
  }),
});

export interface MachineSetRead {
  readonly metadata: Metadata;
  /** Name of the Metal3MachineTemplate of its machines, '' without one. */
  readonly infrastructure: string;
}

/** A MachineSet of Cluster API. */
export const readMachineSet = once((object): MachineSetRead => {
  const { metadata, spec } = machineSet.parse(object);
  return { metadata, infrastructure: spec.template.spec.infrastructureRef?.name ?? '' };
});

/** The control plane or MachineSet that owns a machine. */
export type MachineOrigin = Pick<OwnerMachine, 'controlPlane' | 'machineSet'>;

/** The MachineSet that owns the machine; undefined when it does not exist any more. */
export function ownMachineSet({ machineSet }: MachineOrigin, found: unknown): MachineSetRead | undefined {
  const read = found === undefined ? undefined : readMachineSet(found);
  return read !== undefined && read.metadata.uid === machineSet?.uid ? read : undefined;
}

/**
 * The value of the node-reuse label for hosts that are reserved for machines like this one: `cp-…` or `md-…`.
 * undefined: none. `found`: the MachineSet of a machine without a control plane.
 */
export function reuseLabelOf(origin: MachineOrigin, found: unknown): string | undefined {
  if (origin.controlPlane !== undefined) return `cp-${origin.controlPlane.name}`;
  const owner = ownMachineSet(origin, found)?.metadata.ownerReferences.find(
    ({ kind, apiVersion }) => kind === 'MachineDeployment' && groupOf(apiVersion) === CLUSTER_GROUP,
  );
  return owner === undefined ? undefined : `md-${owner.name}`;
}
