import { z } from 'zod';
import { orEmpty } from '../../api/meta/lenient.ts';
import { once } from '../once.ts';
import { type Metadata, metadata, reference } from './metadata.ts';

const machineSet = z.object({
  metadata,
  spec: orEmpty(
    z.object({
      template: orEmpty(z.object({ spec: orEmpty(z.object({ infrastructureRef: reference })) })),
    }),
  ),
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
