import { machineApiEntity } from '../../domain/machine-api/entity.ts';
import type { MachineApiMemory } from '../../domain/machine-api/memory.ts';
import { knownOfMachineApi } from '../../domain/machine-api/steering.ts';
import type { MachineApiAction, MachineApiAnswer } from '../../domain/machine-api/step.ts';
import { associate, releaseHost } from '../actions/machine.ts';
import { listenForMachineSteering } from '../actions/machine-steering.ts';
import { type EntityStart, live } from '../life/live.ts';
import type { Performing } from '../life/run.ts';
import { requests } from '../proxies.ts';

const REFUSED = 'Always refused: Machines of the Machine API have no pause';
const handleOwnMessages = listenForMachineSteering<MachineApiMemory>({
  kind: 'Machine',
  pause: `${REFUSED}. Pause its host instead`,
  resume: `${REFUSED}. Resume its host instead`,
  knownOf: knownOfMachineApi,
});

/** One Machine of `machine.openshift.io`: gets a host, has it deployed, links it to its Node, releases it. */
export const openShiftMachineWorkflow = (start: EntityStart<MachineApiMemory>): Promise<void> =>
  live({ kind: 'Machine.machine.openshift.io', entity: machineApiEntity, perform, handleOwnMessages }, start);

/** The same for a Machine of `cluster.k8s.io`. */
export const clusterMachineWorkflow = (start: EntityStart<MachineApiMemory>): Promise<void> =>
  live({ kind: 'Machine.cluster.k8s.io', entity: machineApiEntity, perform, handleOwnMessages }, start);

async function perform(action: MachineApiAction, { summary }: Performing): Promise<MachineApiAnswer> {
  switch (action.name) {
    case 'associate':
      return associate(action.order, summary);
    case 'look at last host':
      return requests(summary).findOwnHost(action.order);
    case 'fill host':
    case 'deprovision host':
      return requests(summary).changeHost(action.order);
    case 'release host':
      return releaseHost(action.order, summary);
    case 'link node':
      await requests(summary).linkOwnNode(action.order);
      return { kind: 'node' };
    case 'keep host off':
      return requests(summary).keepMachineHostOff(action.order);
    case 'let host on':
      return requests(summary).letMachineHostOn(action.order);
    case 'take node away':
      await requests(summary).takeNodeAway(action.order);
      return { kind: 'done' };
    case 'return node':
      await requests(summary).endMachineRemediation(action.order);
      return { kind: 'done' };
    case 'delete machine':
      await requests(summary).deleteMachine(action.order);
      return { kind: 'done' };
    case 'delete node':
      await requests(summary).removeOwnNode(action.order);
      return { kind: 'node' };
  }
}
