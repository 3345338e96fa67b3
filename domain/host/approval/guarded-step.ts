import { isFree, traitsOf } from '../../states/table.ts';
import type { HostMemory } from '../memory/memory.ts';
import type { HostStep } from '../step.ts';
import { deprovisioning, type Guarded, poweringOff, preparing, provisioning } from './guarded.ts';

/** The guarded step that this is, or leads to. */
export function guardedBy(memory: HostMemory, step: HostStep): Guarded | undefined {
  switch (step.kind) {
    case 'act':
      return step.action.name === 'power' ? poweringOff(memory, step.action.order) : undefined;
    case 'run':
      if (step.operation.name === 'provision') return provisioning(memory);
      if (step.operation.name === 'deprovision') return deprovisioning(memory);
      return step.operation.name === 'prepare' ? preparing(memory, step.operation.order) : undefined;
    case 'become': {
      const { work } = traitsOf(step.state);
      if (work === 'provision' && isFree(memory.status.provisioning.state)) return provisioning(memory);
      return work === 'deprovision' ? deprovisioning(memory) : undefined;
    }
    case 'note':
    case 'show':
    case 'wait':
    case 'gone':
      return undefined;
  }
}
