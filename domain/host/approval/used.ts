import { APPROVAL_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { answerIn } from '../../steering/answer.ts';
import { stepOf } from '../../steering/code.ts';
import type { HostMemory } from '../memory/memory.ts';
import { withSpent } from '../memory/reboot-annotations.ts';
import type { Task } from '../memory/task.ts';

/** The step that an approval names for this task. */
function stepOfTask(task: Task): string | undefined {
  if (task.name === 'provision' || task.name === 'deprovision' || task.name === 'prepare') return task.name;
  if (task.name !== 'power') return undefined;
  return task.order.on && task.order.rebootFor === undefined ? undefined : 'power-off';
}

/** The task is done: the approval of its step is removed from the BareMetalHost, so that it is used only once. */
export function withApprovalUsed(memory: HostMemory, task: Task): HostMemory {
  const given = answerIn(memory.seen.annotations[APPROVAL_ANNOTATIONS.given]);
  return given !== undefined && stepOf(given.code) === stepOfTask(task)
    ? withSpent(memory, APPROVAL_ANNOTATIONS.given)
    : memory;
}
