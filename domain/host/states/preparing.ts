import { cleanSteps } from '../../ironic/clean/machine-change.ts';
import { raidProblem } from '../../ironic/clean/raid.ts';
import type { PrepareOrder } from '../../ironic/orders.ts';
import {
  isPrepared,
  preparationKnown,
  prepared,
  raidBefore,
  raidChange,
  wantedPreparation,
} from '../desired/preparation.ts';
import { nodeOrder } from '../desired/wishes.ts';
import { type HostMemory, withListed } from '../memory/memory.ts';
import { enter, errorCleared } from '../outcome/transition.ts';
import type { HostStep } from '../step.ts';

/** Applies what must be prepared before a deployment. Root device hints need no change on the server. */
export function preparing(memory: HostMemory, now: number): HostStep {
  const ready = isPrepared(memory);
  if (ready && memory.finished?.name === 'prepare')
    return done(withListed(memory, ...PREPARED, memory.finished.began), now);
  const order = prepareOrder(memory, ready);
  return needsIronic(memory, order)
    ? { kind: 'run', operation: { name: 'prepare', order } }
    : done(prepared(preparationKnown(memory), order), now);
}

/** Added with the next state, which is shown in any case. */
const PREPARED = ['PreparationComplete', 'Host prepared'] as const;

const done = (memory: HostMemory, now: number): HostStep =>
  enter(errorCleared(memory), 'available', now, { errorCount: 0 });

function prepareOrder(memory: HostMemory, ready: boolean): PrepareOrder {
  const retry = memory.status.errorType === 'preparation error';
  const isUnknown = retry || memory.isPreparationUnsure === true;
  const actual = raidBefore(memory, isUnknown);
  return {
    ...nodeOrder(memory),
    ...wantedPreparation(memory),
    ...(actual !== undefined && { actualRaid: actual }),
    unprepared: isUnknown || !ready,
    retry,
  };
}

/** States in which all cleaning has ended. */
const AT_REST = ['manageable', 'available'];

/** False for most hosts, which then need no child workflow: their idle node needs no change. */
function needsIronic({ node }: HostMemory, order: PrepareOrder): boolean {
  if (node === null || !AT_REST.includes(node.state)) return true;
  const raid = raidChange(order);
  if (raid === undefined) return true;
  return order.unprepared && (raidProblem(raid) !== undefined || cleanSteps({ ...order, raid }).length > 0);
}
