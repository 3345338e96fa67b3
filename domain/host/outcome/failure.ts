import { ERROR_EVENT_REASONS, type ErrorType } from '../../../api/baremetalhost/values.ts';
import { type HostMemory, type Retry, withEvent, withStatus } from '../memory/memory.ts';
import { backoff } from './backoff.ts';

/** The time (ms since the epoch) and a number in [0, 1), so that the domain needs neither clock nor random numbers. */
export interface Chance {
  readonly now: number;
  readonly dice: number;
}

/** Records a failure: it is counted, shown, and retried after a backoff that grows with the count. */
export function fail(memory: HostMemory, errorType: ErrorType, message: string, { now, dice }: Chance): HostMemory {
  const at = now + backoff(memory.status.errorCount + 1, dice);
  return recorded(memory, errorType, message, ERROR_EVENT_REASONS[errorType], { kind: 'at', at }, now);
}

/** Records a failure that only a change of the host or its Secret can fix: no retry before that. */
export function park(
  memory: HostMemory,
  errorType: ErrorType,
  message: string,
  now: number,
  reason: string = ERROR_EVENT_REASONS[errorType],
): HostMemory {
  return recorded(memory, errorType, message, reason, { kind: 'on change' }, now);
}

function recorded(
  memory: HostMemory,
  errorType: ErrorType,
  said: string,
  reason: string,
  retry: Retry,
  now: number,
): HostMemory {
  const errorMessage = said.trim() === '' ? `${errorType} without a reason from Ironic` : said;
  const failed = withStatus(memory, {
    operationalStatus: 'error',
    errorType,
    errorMessage,
    errorCount: memory.status.errorCount + 1,
  });
  const isSame = memory.status.errorType === errorType;
  const errorSince = isSame ? memory.errorSince : now;
  const { errorSince: _, ...told } = withEvent(failed, reason, errorMessage, true);
  return { ...told, retry, finished: null, ...(errorSince !== undefined && { errorSince }) };
}

/** The error without the image that begins it. */
export const causeIn = (errorMessage: string): string =>
  errorMessage.replace(/^Image provisioning failed \(url: .*?\): (?=.)/, '');

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
/** What comes before the cause in an error of Ironic: what it was doing, and with which node. */
const BEFORE_CAUSE = new RegExp(`(?:\\bnode ${UUID}[^.:]*[.:]|(?<=^|\\.\\s+)Error:|\\breason:)\\s+`, 'g');
const PATH = /(https?:\/\/[^/\s]+\/)[^\s,]{16,}/g;

/** The cause alone, for lines that are too short for the error: without what Ironic did, ids and long paths. */
export function shortCauseIn(errorMessage: string): string {
  const error = causeIn(errorMessage);
  const cause = error.split(BEFORE_CAUSE).at(-1) ?? '';
  return (cause.trim() === '' ? error : cause).replaceAll(PATH, '$1…');
}
