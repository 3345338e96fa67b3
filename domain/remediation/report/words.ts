import { joined, type Markdown, markdown } from '../../entity/markdown.ts';
import type { RemediationMemory } from '../memory.ts';
import type { RemediationAction } from '../step.ts';
import { doneInWords } from './done.ts';
import { seenInWords } from './seen.ts';

/** Describes an action for the Web UI. */
export function summaryOf(action: RemediationAction): string {
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

/** For the Web UI: the phase, then what was seen, what was done and what the remediation waits for. */
export function detailsOf(memory: RemediationMemory, waitingFor: string): Markdown {
  const { namespace, name } = memory.seen;
  return joined([
    markdown`**Metal3Remediation ${name}** in ${namespace}: ${phaseInWords(memory)}\n`,
    markdown`- **Seen** ${seenInWords(memory, waitingFor).join('; ')}`,
    markdown`- **Done** ${doneInWords(memory).join('; ')}`,
    ...(waitingFor === '' ? [] : [markdown`- **Waits** ${reasonInWords(waitingFor)}`]),
  ]);
}

function phaseInWords({ seen, record: { phase, retryCount } }: RemediationMemory): string {
  if (phase === undefined) return 'not begun';
  if (retryCount > 0) return `${phase}, retry ${retryCount} of ${seen.strategy?.retryLimit ?? 0}`;
  return phase === 'Running' || phase === 'Waiting' ? `${phase}, first attempt` : phase;
}

const reasonInWords = (waitingFor: string): string =>
  waitingFor.startsWith('waiting ') ? waitingFor.slice('waiting '.length) : `for this reason: ${waitingFor}`;
