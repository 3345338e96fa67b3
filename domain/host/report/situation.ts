import { ANNOTATIONS } from '../../../api/baremetalhost/values.ts';
import { BEFORE_ALL } from '../../clock.ts';
import { CLUSTER_ANNOTATIONS } from '../../cluster-api/names.ts';
import { sinceInWords } from '../../entity/since.ts';
import { isInUse, traitsOf } from '../../states/table.ts';
import type { Work } from '../../states/traits.ts';
import { publicPart } from '../../urls/hidden.ts';
import { heldNow } from '../approval/gate.ts';
import { isPaused } from '../desired/wishes.ts';
import type { HostMemory } from '../memory/memory.ts';
import { decided } from '../next-step.ts';
import { restOfAvailable } from '../states/available.ts';
import { heldBack, holdsInWords } from '../steering/held-back.ts';
import type { HostStep } from '../step.ts';
import { failureWords, limitOf, ofImage } from './failure-words.ts';

const LONGEST_ERROR = 500;

/**
 * What a host is busy with or waits for, in words; '' when everything is as desired. It depends on the memory
 * only, and has points in time instead of durations, so a waiting host is written once. A pause does not change it: the
 * annotation shows the pause.
 */
export function situationOf(paused: HostMemory): string {
  const memory = unpaused(paused);
  const { errorType, operationalStatus } = memory.status;
  const own = decided(memory, BEFORE_ALL);
  const held = isHeldBack(memory, own) ? holdsInWords(memory, memory.heldSince) : (heldNow(memory)?.words ?? '');
  if (errorType !== undefined) return [held, failure(memory)].filter((text) => text !== '').join('; ');
  if (held !== '') return held;
  if (operationalStatus === 'delayed') return delay(memory, own);
  return own.kind === 'wait' && isPowerKnown(memory) ? waiting(memory, own.reason) : busy(memory, own);
}

/** A person holds the host back, and nothing is left to be done for that. */
export function isHeldBack(memory: HostMemory, own: HostStep = decided(memory, BEFORE_ALL)): boolean {
  const step = heldBack(memory, own);
  return step !== own && step.kind === 'wait';
}

/** A paused host keeps its text, because nothing is written to it. */
export function unpaused(memory: HostMemory): HostMemory {
  if (!isPaused(memory)) return memory;
  const { [ANNOTATIONS.paused]: _, [CLUSTER_ANNOTATIONS.deleteForMove]: _1, ...annotations } = memory.seen.annotations;
  return { ...memory, seen: { ...memory.seen, annotations } };
}

/** Power that Ironic does not know yet is learned with the next change, so the host does not wait for it. */
const isPowerKnown = ({ node }: HostMemory): boolean => node?.poweredOn !== null;

function failure(memory: HostMemory): string {
  const { status, retry, errorSince } = memory;
  const began = errorSince === undefined ? '' : `;${sinceInWords(errorSince)}`;
  const next =
    retry === null
      ? ''
      : retry.kind === 'at'
        ? `; next try at ${new Date(retry.at).toISOString().slice(0, 19)}Z`
        : '; waits for a change';
  return `${failureWords(memory)}: ${cut(status.errorMessage)}${began}${next}`;
}

const cut = (text: string): string =>
  text.length <= LONGEST_ERROR ? text : `${text.slice(0, LONGEST_ERROR - 1).trimEnd()}…`;

/** The position in the queue changes with every other host, so only the run shows it. */
function delay({ seen, delayedSince }: HostMemory, step: HostStep): string {
  const forWhat = step.kind === 'become' ? ` before ${step.state}` : '';
  return `waiting for one of ${seen.settings.provisioningLimit} slots in Ironic${forWhat}${sinceInWords(delayedSince)}`;
}

/** '' for a host that is as desired, unless its reason says more than that. */
function waiting({ status }: HostMemory, reason: string): string {
  const { state } = status.provisioning;
  const isRest = isInUse(state) && (reason === 'provisioned as desired' || reason.startsWith(`${state}, `));
  return isRest ? '' : reason;
}

/** The work of the host's state. At rest, what the host waits for: a task there takes only seconds. */
function busy(memory: HostMemory, step: HostStep): string {
  const { state } = memory.status.provisioning;
  const { rest, busy: underway, work } = traitsOf(state);
  if (rest === 'free') return step.kind === 'become' ? `next: ${step.state}` : restOfAvailable(memory);
  if (underway === null) return '';
  const what = work === 'provision' ? `${underway.words} ${imageOf(memory)}` : underway.words;
  return `${what}${since(memory)}${attemptsIn(memory, work)}`;
}

function since({ status, stateSince }: HostMemory): string {
  const { history } = traitsOf(status.provisioning.state);
  if (history === null) return sinceInWords(stateSince);
  const start = status.operationHistory[history]?.start;
  return start ? ` since ${start}` : '';
}

function attemptsIn(memory: HostMemory, work: Work | null): string {
  if (work === 'provision') return attempt(memory);
  return work === 'deprovision' ? afterFailure(memory) : '';
}

const imageOf = ({ status, seen }: HostMemory): string =>
  publicPart(status.lastAttemptedImage?.url ?? seen.spec.image?.url ?? '') || 'by a custom step';

function attempt({ status, seen, deploymentFailure }: HostMemory): string {
  const { provisioningFailCount: failures } = status;
  if (failures === 0) return '';
  const limit = limitOf(seen.settings.maxProvisioningRetries);
  return `, attempt ${failures + 1}${limit}${lastFailure(deploymentFailure)}`;
}

const afterFailure = ({ status, seen, deploymentFailure }: HostMemory): string =>
  status.provisioningFailCount === 0
    ? ''
    : ` after ${ofImage(status.provisioningFailCount, seen)}${lastFailure(deploymentFailure)}`;

/** undefined: the run began after the failure and does not know it. */
const lastFailure = (message: string | undefined): string => (message === undefined ? '' : `: ${cut(message)}`);
