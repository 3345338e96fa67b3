import { z } from 'zod';
import { AUTOMATED_CLEANING_MODES } from '../../api/baremetalhost/values.ts';
import { lenientFlag, maybe, orEmpty } from '../../api/meta/lenient.ts';
import { isPausedByAnnotation } from '../../domain/cluster-api/names.ts';
import type { TemplateSeen } from '../../domain/machine/memory/snapshot.ts';
import { once } from '../once.ts';
import { metadata } from './metadata.ts';

const machineSpec = { automatedCleaningMode: maybe(z.enum(AUTOMATED_CLEANING_MODES)) };
const machineTemplate = z.object({
  metadata,
  spec: orEmpty({
    nodeReuse: lenientFlag,
    template: orEmpty({ spec: orEmpty(machineSpec) }).catch({ spec: {} }),
  }),
});

export interface MachineTemplateRead {
  readonly nodeReuse: boolean;
  /** The fields that its machines use. */
  readonly seen: TemplateSeen;
}

export const readMachineTemplate = once((object): MachineTemplateRead => {
  const { metadata, spec } = machineTemplate.parse(object);
  const { automatedCleaningMode } = spec.template.spec;
  return {
    nodeReuse: spec.nodeReuse,
    seen: { paused: isPausedByAnnotation(metadata), ...(automatedCleaningMode && { automatedCleaningMode }) },
  };
});
