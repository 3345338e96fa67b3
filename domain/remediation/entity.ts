import type { Entity } from '../entity/entity.ts';
import { absorb, begin, type RemediationMemory } from './memory.ts';
import { nextStep } from './next-step.ts';
import { caseOf, ownKeys } from './obstacles.ts';
import { powerOn } from './orders.ts';
import { record } from './record.ts';
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

function summaryOf(action: RemediationAction): string {
  switch (action.name) {
    case 'power off':
      return `Keep host ${action.order.host.name} off`;
    case 'power on':
      return `Let host ${action.order.host.name} be powered on`;
    case 'free node':
      return `Move what ran on Node ${action.order.node}`;
    case 'await drain':
      return `Wait until Pods and volumes have left Node ${action.order.node}`;
    case 'return node':
      return `Look for Node ${action.order.node} and return its labels`;
    case 'hand over':
      return action.order.machine.api === undefined
        ? `Hand Machine ${action.order.machine.name} over to Cluster API`
        : `Delete Machine ${action.order.machine.name}, if it has an owner that replaces it`;
  }
}

function detailsOf({ seen, record: { phase, retryCount } }: RemediationMemory, waitingFor: string): string {
  const attempt = retryCount === 0 ? '' : `, retry ${retryCount}`;
  return `**Metal3Remediation ${seen.name}** in ${seen.namespace}: ${phase ?? 'not begun'}${attempt}\n\n${waitingFor}`;
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
};
