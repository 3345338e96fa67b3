import type { SeenCondition, SeenObject, Sight } from '../../../domain/diagnosis/sight.ts';
import { WORKFLOW_PAUSED } from '../../../domain/entity/conditions.ts';
import { pausedInWords } from '../../../domain/entity/paused-run.ts';
import { aCondition, aHealthyMachine, aMachineOfMachineApi, type Examples, hostSight, NOW } from './sights.ts';

const pause = { by: 'ada@console', reason: 'I look at it', at: '2026-01-01T11:50:00Z' };
const condition = (kind: string, id: string): SeenCondition =>
  aCondition(WORKFLOW_PAUSED, 'True', 'RunPaused', pausedInWords(kind, id, pause, 'temporal'));
const ofMachine = (machine: SeenObject): Pick<SeenObject, 'conditions'> => ({
  conditions: [condition(machine.kind, `${machine.kind.toLowerCase()}/metal/${machine.name}`)],
});
const asked = (id: string): Sight =>
  hostSight({ texts: [{ field: 'answer of its run', words: pausedInWords('BareMetalHost', id, pause, 'temporal') }] });

export const PAUSED_RUN_EXAMPLES = {
  'run-paused': [
    hostSight({ conditions: [condition('BareMetalHost', 'baremetalhost/metal/node-1')] }),
    asked('baremetalhost/metal/node-1/provision/3'),
  ],
  'machine-run-paused': [{ now: NOW, machine: { ...aHealthyMachine, ...ofMachine(aHealthyMachine) } }],
  'machine-api-run-paused': [{ now: NOW, machineApi: { ...aMachineOfMachineApi, ...ofMachine(aMachineOfMachineApi) } }],
} satisfies Examples;
