import { uuid4 } from '@temporalio/workflow';
import {
  machineSetEntity as entity,
  type MachineSetAction,
  type MachineSetAnswer,
  type MachineSetMemory,
} from '../../domain/machine-set/entity.ts';
import { type EntityStart, live } from '../life/live.ts';
import type { Performing } from '../life/run.ts';
import { requests } from '../proxies.ts';

/**
 * One MachineSet of `machine.openshift.io`: makes and deletes Machines, as many as the MachineSet asks for or as there
 * are hosts for.
 */
export const machineSetWorkflow = (start: EntityStart<MachineSetMemory>): Promise<void> =>
  live({ kind: 'MachineSet.machine.openshift.io', entity, perform }, start);

async function perform(action: MachineSetAction, { summary }: Performing): Promise<MachineSetAnswer> {
  switch (action.name) {
    case 'delete machine':
      await requests(summary).deleteSurplus(action.order);
      return { kind: 'deleted' };
    case 'adopt machine':
      await requests(summary).adoptMachine(action.order);
      return { kind: 'adopted' };
    case 'make machines': {
      const { set, count } = action.order;
      // Drawn here, so that a repeated attempt makes the same Machines.
      const names = Array.from({ length: count }, () => `${set.name}-${uuid4().slice(0, 5)}`);
      return { kind: 'made', names: await requests(summary).makeMachines({ set, names }) };
    }
  }
}
