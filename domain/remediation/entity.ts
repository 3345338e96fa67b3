import type { Entity } from '../entity/entity.ts';
import { absorb, begin, type RemediationMemory } from './memory.ts';
import { nextStep } from './next-step.ts';
import { caseOf, ownKeys } from './obstacles.ts';
import { powerOn } from './orders.ts';
import { record } from './record.ts';
import { nextInWords } from './report/next.ts';
import { detailsOf, summaryOf } from './report/words.ts';
import { show } from './show.ts';
import { REMEDIATION_SHAPE, type RemediationSnapshot } from './snapshot.ts';
import type { RemediationAction, RemediationAnswer } from './step.ts';

/** False for a wait in the workload cluster that nobody needs any more. */
function stillWanted({ seen }: RemediationMemory, { name }: RemediationAction): boolean {
  if (name !== 'await drain') return true;
  const found = caseOf(seen);
  return seen.deletionTimestamp === undefined && !seen.paused && found.kind === 'sick' && found.host.online;
}

/**
 * Somebody removed our finalizer. The host must not stay off, so one attempt is made to power it on, whatever failed
 * before.
 */
function afterVanishing(memory: RemediationMemory): RemediationAction | undefined {
  const { seen, trouble } = memory;
  const keys = ownKeys(seen);
  if (seen.paused || !seen.host || keys.length === 0 || trouble?.afterVanishing) return undefined;
  const action = powerOn(memory, seen.host, keys);
  return { ...action, order: { ...action.order, vanished: true } };
}

export const remediationEntity: Entity<RemediationSnapshot, RemediationMemory, RemediationAction, RemediationAnswer> = {
  snapshot: REMEDIATION_SHAPE,
  begin,
  absorb,
  nextStep,
  record,
  show,
  stillWanted,
  afterVanishing,
  summaryOf,
  detailsOf,
  nextInWords,
};
