import { WORKFLOW_PAUSED } from '../../entity/conditions.ts';
import { pausedInWords, pausedRunIn, unpauseCommand } from '../../entity/paused-run.ts';
import type { Diagnosis, Finding, ObjectSubject } from '../diagnosis.ts';
import { aCondition, aHealthyMachine, aMachineOfMachineApi, hostSight, NOW } from '../example.ts';
import { GOES_ON } from '../risks.ts';
import { nameOf, type SeenCondition, type SeenObject, type Sight } from '../sight.ts';

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

const row = (id: string, of: ObjectSubject, noun: string, examples: Diagnosis['examples']): Diagnosis => ({
  id,
  of,
  holds: true,
  whileDeleting: true,
  see: (sight) => pauseOf(sight[of]),
  cause: `Somebody has paused the run of the ${noun}, or of its operation, in Temporal: nothing is done for the ${noun}, and its status may be outdated.`,
  risk: GOES_ON,
  next: `End the pause, unless the person in the message still looks at the run. To hold a ${noun}, pause the object, not its run.`,
  commands: [unpauseCommand('{run}', 'temporal')],
  examples,
});

const pause = { by: 'ada@console', reason: 'I look at it', at: '2026-01-01T11:50:00Z' };
const condition = (kind: string, id: string): SeenCondition =>
  aCondition(WORKFLOW_PAUSED, 'True', 'RunPaused', pausedInWords(kind, id, pause, 'temporal'));
const ofMachine = (machine: SeenObject): Pick<SeenObject, 'conditions'> => ({
  conditions: [condition(machine.kind, `${machine.kind.toLowerCase()}/metal/${machine.name}`)],
});
const asked = (id: string): Sight =>
  hostSight({ texts: [{ field: 'answer of its run', words: pausedInWords('BareMetalHost', id, pause, 'temporal') }] });

/** Temporal's own pause, with the blue button of each page of its Web UI. */
export const PAUSED_RUNS: readonly Diagnosis[] = [
  row('run-paused', 'host', 'host', [
    hostSight({ conditions: [condition('BareMetalHost', 'baremetalhost/metal/node-1')] }),
    asked('baremetalhost/metal/node-1/provision/3'),
  ]),
  row('machine-run-paused', 'machine', 'machine', [
    { now: NOW, machine: { ...aHealthyMachine, ...ofMachine(aHealthyMachine) } },
  ]),
  row('machine-api-run-paused', 'machineApi', 'machine', [
    { now: NOW, machineApi: { ...aMachineOfMachineApi, ...ofMachine(aMachineOfMachineApi) } },
  ]),
];
