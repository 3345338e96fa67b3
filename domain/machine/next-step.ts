import type { Entity, Moment } from '../entity/entity.ts';
import { same } from '../same.ts';
import { deletion } from './deletion.ts';
import { MACHINE_GUARDS } from './guards.ts';
import { absorb, annotatedHost, begin, type MachineMemory, withRecord } from './memory.ts';
import { normal } from './normal.ts';
import type { MachineStep, Pass } from './pass.ts';
import { record } from './record.ts';
import { show } from './show.ts';
import type { MachineSnapshot } from './snapshot.ts';
import type { MachineAction, MachineAnswer } from './step.ts';
import { detailsOf, summaryOf } from './words.ts';

/** What a machine does next. Pure: the same memory and moment always give the same step. */
export function nextStep(memory: MachineMemory, { now, shown }: Moment): MachineStep {
  const pass = decided(memory, now, shown?.finalizer === true);
  return same(pass.memory.record, memory.record) ? pass.step : { kind: 'note', memory: pass.memory };
}

function decided(memory: MachineMemory, now: number, isShown: boolean): Pass {
  let known = withHost(memory);
  for (const gate of MACHINE_GUARDS) {
    const outcome = gate(known, now);
    if ('step' in outcome) return outcome;
    known = outcome;
  }
  const { seen } = known;
  if (seen.deletionTimestamp !== undefined) return deletion(known, now);
  const holding = withRecord(known, { holds: true });
  // Nothing is done to a host before it is sure that the machine can't vanish without giving it back.
  if (!seen.held && !isShown) return { memory: holding, step: { kind: 'show' } };
  return normal(holding, now);
}

const withHost = (memory: MachineMemory): MachineMemory => {
  const { seen, record: known } = memory;
  const host = annotatedHost(seen.hostAnnotation) || known.host || (seen.host?.name ?? '');
  return host === known.host ? memory : withRecord(memory, { host });
};

/**
 * Only what waits is given up in the middle, as soon as anything else is to be said or done: everything else is short,
 * and its answer has to be known.
 */
function stillWanted(memory: MachineMemory, action: MachineAction): boolean {
  if (action.name !== 'find node' || action.told === undefined) return true;
  const { memory: known, step } = decided(memory, 0, true);
  return same(known.record, memory.record) && step.kind === 'act' && same(step.action, action);
}

export const machineEntity: Entity<MachineSnapshot, MachineMemory, MachineAction, MachineAnswer> = {
  begin,
  absorb,
  nextStep,
  record,
  show,
  stillWanted,
  summaryOf,
  detailsOf,
};
