import { byName } from '../../entity/by-name.ts';
import { joined, type Markdown, markdown } from '../../entity/markdown.ts';
import type { RemediationMemory } from '../memory.ts';
import type { RemediationAction } from '../step.ts';
import { doneInWords } from './done.ts';
import { seenInWords } from './seen.ts';

/** Describes an action for the Web UI. */
export const summaryOf = byName<RemediationAction, string>({
  'power off': ({ order }) => `Keep host ${order.host.name} off`,
  'power on': ({ order }) => `Let host ${order.host.name} be powered on`,
  'free node': ({ order }) => `Move what ran on Node ${order.node}`,
  'await drain': ({ order }) => `Wait until Pods and volumes have left Node ${order.node}`,
  'return node': ({ order }) => `Look for Node ${order.node} and return its labels`,
  'hand over': ({ order: { machine } }) =>
    machine.api === undefined
      ? `Hand Machine ${machine.name} over to Cluster API`
      : `Delete Machine ${machine.name}, if it has an owner that replaces it`,
});

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
