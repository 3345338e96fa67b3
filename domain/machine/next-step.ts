import type { Entity, Moment } from '../entity/entity.ts';
import { same } from '../same.ts';
import { lookAtLastHost } from './associate/associate.ts';
import { deletion } from './deletion.ts';
import { MACHINE_GUARDS } from './guards.ts';
import {
  absorb,
  annotatedHost,
  begin,
  begunAgain,
  type MachineMemory,
  withRecord,
  withShown,
} from './memory/memory.ts';
import type { MachineStep, Pass } from './memory/pass.ts';
import type { MachineSnapshot } from './memory/snapshot.ts';
import { machineSnapshot } from './memory/snapshot-shape.ts';
import type { MachineAction, MachineAnswer } from './memory/step.ts';
import { normal } from './normal.ts';
import { record } from './record.ts';
import { listed, related } from './report/listed.ts';
import { show } from './report/show.ts';
import { detailsOf, summaryOf } from './report/words.ts';
import { isRetryAsked, machineSteeringDetails, retryNow } from './steering/steerable.ts';

/** The next step of a machine. Pure: the same memory and time always give the same step. */
export function nextStep(memory: MachineMemory, { now, shown }: Moment): MachineStep {
  if (isRetryAsked(memory)) return { kind: 'note', memory: retryNow(memory) };
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
  const looking = lookAtLastHost(known, now);
  if (looking !== undefined) return looking;
  const { seen } = known;
  if (seen.deletionTimestamp !== undefined) return deletion(known, now);
  const holding = withRecord(known, { needsFinalizer: true });
  // Before anything is done to a host, the finalizer must be set, so that the machine cannot disappear without
  // releasing the host.
  if (!seen.hasFinalizer && !isShown) return { memory: holding, step: { kind: 'show' } };
  return normal(holding, now);
}

const withHost = (memory: MachineMemory): MachineMemory => {
  const { seen, record: known } = memory;
  // During a deletion, the host that has the machine as consumer counts as its host. Otherwise a host counts once the
  // machine has claimed it.
  const own = seen.deletionTimestamp === undefined ? '' : (seen.host?.name ?? '');
  const host = annotatedHost(seen.hostAnnotation) || known.host || own;
  return host === known.host ? memory : withRecord(memory, { host });
};

/**
 * Only an action that waits is cancelled when something else is to be shown or done. All other actions are short, and
 * their answers are needed.
 */
function stillWanted(memory: MachineMemory, action: MachineAction): boolean {
  if (action.name === 'look at last host') return memory.lastHost !== undefined && memory.seen.host === undefined;
  if (action.name !== 'find node' || action.knownProblem === undefined) return true;
  if (isRetryAsked(memory)) return false;
  const { memory: known, step } = decided(memory, 0, true);
  return same(known.record, memory.record) && step.kind === 'act' && same(step.action, action);
}

export const machineEntity: Entity<MachineSnapshot, MachineMemory, MachineAction, MachineAnswer> = {
  snapshot: machineSnapshot,
  begin,
  begunAgain,
  absorb,
  nextStep,
  record,
  show,
  taken: withShown,
  stillWanted,
  listed,
  related,
  summaryOf,
  detailsOf,
  messagesOf: machineSteeringDetails,
};
