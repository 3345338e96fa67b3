import { WORKFLOW_PAUSED } from '../../entity/conditions.ts';
import { pausedRunIn, unpauseCommand } from '../../entity/paused-run.ts';
import { type Diagnosis, type Finding, holding, type ObjectSubject } from '../diagnosis.ts';
import { nameOf, type SeenObject } from '../sight.ts';

/** The object's condition says it; without that, the answer of the run itself. */
function pauseOf(object: SeenObject | undefined): Finding | undefined {
  if (object === undefined) return undefined;
  const shown = object.conditions
    .filter(({ type, status }) => type === WORKFLOW_PAUSED && status === 'True')
    .map(({ message }) => ({ field: `condition ${WORKFLOW_PAUSED}`, words: message }));
  for (const { field, words } of [...shown, ...object.texts]) {
    const run = pausedRunIn(words);
    if (run !== undefined) return { evidence: [{ object: nameOf(object), field, words }], names: { run } };
  }
  return undefined;
}

const row = (id: string, of: ObjectSubject, noun: string): Diagnosis =>
  holding({
    id,
    of,
    see: (sight) => pauseOf(sight[of]),
    cause: `Somebody has paused the run of the ${noun}, or of its operation, in Temporal: nothing is done for the ${noun}, and its status may be outdated.`,
    next: `End the pause, unless the person in the message still looks at the run. To hold a ${noun}, pause the object, not its run.`,
    commands: [unpauseCommand('{run}', 'temporal')],
  });

/** Temporal's own pause, with the blue button of each page of its Web UI. */
export const PAUSED_RUNS: readonly Diagnosis[] = [
  row('run-paused', 'host', 'host'),
  row('machine-run-paused', 'machine', 'machine'),
  row('machine-api-run-paused', 'machineApi', 'machine'),
];
