import type { ProvisioningState } from '../../api/baremetalhost/values.ts';
import { type HostMemory, withShown } from '../../domain/host/memory/memory.ts';
import type { Task } from '../../domain/host/memory/task.ts';
import { nextStep } from '../../domain/host/next-step.ts';
import { record, startOf } from '../../domain/host/record.ts';
import { show } from '../../domain/host/report/show.ts';
import type { HostOutcome } from '../../domain/host/step.ts';
import { aNode, NOW } from './host.ts';

export interface Life {
  readonly memory: HostMemory;
  /** Its states, including the first, and the tasks it did. */
  readonly states: readonly ProvisioningState[];
  readonly tasks: readonly Task['name'][];
  /** Milliseconds spent in backoffs. */
  readonly ms: number;
  /** `gone`, or what the host finally waits for. */
  readonly end: string;
}

const STEPS = 200;

/** Runs a host with these answers to its tasks, until it is gone or waits for a change. */
export function live(host: HostMemory, answer: (task: Task) => HostOutcome = well): Life {
  let memory = host;
  let now = NOW;
  const states: ProvisioningState[] = [memory.status.provisioning.state];
  const tasks: Task['name'][] = [];
  for (let steps = 0; steps < STEPS; steps++) {
    const step = nextStep(memory, now);
    if (step.kind === 'gone') return { memory, states, tasks, ms: now - NOW, end: 'gone' };
    if (step.kind === 'become') states.push(step.state);
    if (step.kind === 'become' || step.kind === 'note') memory = step.memory;
    else if (step.kind === 'show') memory = withShown(memory, show(memory));
    else if (step.kind === 'wait') {
      if (step.until === undefined) return { memory, states, tasks, ms: now - NOW, end: step.reason };
      now = step.until;
    } else {
      const task = step.kind === 'act' ? step.action : step.operation;
      tasks.push(task.name);
      memory = record(startOf(memory, task), task, answer(task), { now, dice: 0 });
    }
  }
  throw new Error(`never at rest: ${states.join(' → ')}: ${tasks.join(', ')}`);
}

/** The outcome of a task that succeeds. */
export function well(task: Task): HostOutcome {
  if (task.name === 'register') {
    return { kind: 'done', node: aNode(), registered: { created: false, credentialsVersion: '90' } };
  }
  if (task.name === 'power') return { kind: 'done', node: aNode({ poweredOn: task.order.on }) };
  if (task.name === 'detach' || task.name === 'delete') return { kind: 'lost' };
  const runs = task.name === 'adopt' || task.name === 'provision';
  return { kind: 'done', node: runs ? aNode({ state: 'active', poweredOn: true }) : aNode() };
}
