import type { Diagnosis } from '../../../domain/diagnosis/diagnosis.ts';
import { BMC_EXAMPLES } from './bmc.ts';
import { CLUSTER_EXAMPLES } from './cluster.ts';
import { DATA_EXAMPLES } from './data.ts';
import { DELETING_EXAMPLES } from './deleting.ts';
import { HELD_EXAMPLES } from './held.ts';
import { IMAGE_EXAMPLES } from './image.ts';
import { IRONIC_EXAMPLES } from './ironic.ts';
import { MACHINE_EXAMPLES } from './machine.ts';
import { NODE_EXAMPLES } from './node.ts';
import { PAUSED_RUN_EXAMPLES } from './paused-run.ts';
import { SERVER_EXAMPLES } from './server.ts';
import type { Examples } from './sights.ts';
import { TEMPER_EXAMPLES } from './temper.ts';
import { TEMPORAL_EXAMPLES } from './temporal.ts';

const EXAMPLES: Examples = {
  ...BMC_EXAMPLES,
  ...CLUSTER_EXAMPLES,
  ...DATA_EXAMPLES,
  ...DELETING_EXAMPLES,
  ...HELD_EXAMPLES,
  ...IMAGE_EXAMPLES,
  ...IRONIC_EXAMPLES,
  ...MACHINE_EXAMPLES,
  ...NODE_EXAMPLES,
  ...PAUSED_RUN_EXAMPLES,
  ...SERVER_EXAMPLES,
  ...TEMPER_EXAMPLES,
  ...TEMPORAL_EXAMPLES,
};

/** Throws for a row without an example. */
export function examplesOf({ id }: Pick<Diagnosis, 'id'>): Examples[string] {
  const examples = EXAMPLES[id];
  if (examples === undefined) throw new Error(`the row ${id} has no example in test/builders/diagnoses/`);
  return examples;
}
