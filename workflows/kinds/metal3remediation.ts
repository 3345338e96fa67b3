import { byName } from '../../domain/entity/by-name.ts';
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

const perform = byName<RemediationAction, Promise<RemediationAnswer>, [Performing]>({
  'power off': async ({ order }, { summary }) => ({ kind: 'host', host: await requests(summary).keepHostOff(order) }),
  'power on': async ({ order, keys }, { summary }) => ({
    kind: 'host',
    host: await requests(summary).letHostOn({ ...order, keys }),
  }),
  'free node': async ({ order }, { summary }) => requests(summary).freeNode(order),
  'await drain': async ({ order, until }, { summary }) => awaiting(summary).awaitDrain({ order, until }),
  'return node': async ({ order }, { summary }) => requests(summary).returnNode(order),
  'hand over': async ({ order }, { summary }) => {
    await requests(summary).handOver(order);
    return { kind: 'handed over' };
  },
});
