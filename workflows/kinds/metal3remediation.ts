import { remediationEntity } from '../../domain/remediation/entity.ts';
import type { RemediationMemory } from '../../domain/remediation/memory.ts';
import type { RemediationAction, RemediationAnswer } from '../../domain/remediation/step.ts';
import { type EntityStart, live } from '../life/live.ts';
import type { Performing } from '../life/run.ts';
import { awaiting, requests } from '../proxies.ts';

/**
 * One Metal3Remediation: has the host powered off and on, returns the Node, and hands the Machine over when that does
 * not help. It never sees labels and annotations of the Node.
 */
export const remediationWorkflow = (start: EntityStart<RemediationMemory>): Promise<void> =>
  live({ kind: 'Metal3Remediation', entity: remediationEntity, perform }, start);

async function perform(action: RemediationAction, { summary }: Performing): Promise<RemediationAnswer> {
  switch (action.name) {
    case 'power off':
      return { kind: 'host', host: await requests(summary).keepHostOff(action.order) };
    case 'power on':
      return { kind: 'host', host: await requests(summary).letHostOn({ ...action.order, keys: action.keys }) };
    case 'free node':
      return requests(summary).freeNode(action.order);
    case 'await drain':
      return awaiting(summary).awaitDrain({ order: action.order, until: action.until });
    case 'return node':
      return requests(summary).returnNode(action.order);
    case 'hand over':
      await requests(summary).handOver(action.order);
      return { kind: 'handed over' };
  }
}
