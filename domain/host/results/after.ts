import { ERROR_EVENT_REASONS, type ErrorType } from '../../../api/baremetalhost/values.ts';
import type { ShownEvent } from '../../entity/view.ts';
import { same } from '../../same.ts';
import { traitsOf } from '../../states/table.ts';
import { stepOf } from '../../steering/code.ts';
import { type HistoryEntry, historyOf } from '../../steering/history.ts';
import { inWords } from '../../steering/messages.ts';
import type { HostRecord } from '../memory/host-record.ts';
import { type OperationName, type OperationResult, resultsOf } from './results.ts';

type Span = { readonly start?: string | null | undefined; readonly end?: string | null | undefined };
type Spans = Readonly<Record<string, Span | undefined>>;

/** What is about to be written to a host, and what it shows so far. */
export interface AboutToShow {
  readonly annotations: Readonly<Record<string, string>>;
  /** `status.operationHistory` before the write. */
  readonly before: Spans;
  readonly status: Pick<HostRecord, 'operationHistory' | 'provisioning'>;
  readonly events: readonly ShownEvent[];
  /** Who uses the host, such as `Metal3Machine metal/worker-1`. */
  readonly consumer?: string | undefined;
  readonly deletionTimestamp?: string | undefined;
  /** The deletion is complete. */
  readonly isLeaving?: boolean;
  /** RFC 3339. */
  readonly at: string;
}

type Outcome = Pick<OperationResult, 'what' | 'result'>;

/** Events that tell how an operation ended. That a deletion succeeded shows in the removal of the finalizer. */
const ENDING: Readonly<Record<string, Outcome>> = {
  InspectionComplete: { what: 'inspect', result: 'done' },
  InspectionSkipped: { what: 'inspect', result: 'done' },
  InspectionCancelled: { what: 'inspect', result: 'ended' },
  ProvisioningComplete: { what: 'provision', result: 'done' },
  ProvisioningCancelled: { what: 'provision', result: 'ended' },
  DeprovisioningComplete: { what: 'deprovision', result: 'done' },
  DeprovisioningCancelled: { what: 'deprovision', result: 'ended' },
  PowerOn: { what: 'power', result: 'done' },
  PowerOff: { what: 'power', result: 'done' },
  Reboot: { what: 'power', result: 'done' },
  PreparationComplete: { what: 'prepare', result: 'done' },
  PreparationCancelled: { what: 'prepare', result: 'ended' },
  RegistrationComplete: { what: 'register', result: 'done' },
  AdoptionComplete: { what: 'adopt', result: 'done' },
  NodeLeftBehind: { what: 'delete', result: 'done' },
  BMCCredentialError: { what: 'register', result: 'failed' },
};

const FAILING: Readonly<Record<ErrorType, OperationName>> = {
  'provisioned registration error': 'adopt',
  'registration error': 'register',
  'inspection error': 'inspect',
  'preparation error': 'prepare',
  'provisioning error': 'provision',
  'power management error': 'power',
  'servicing error': 'prepare',
};
const FAILURES = new Map(
  Object.entries(ERROR_EVENT_REASONS).map(([type, reason]) => [reason as string, FAILING[type as ErrorType]]),
);

const SPANS = ['register', 'inspect', 'provision', 'deprovision'] as const satisfies readonly OperationName[];
const hasSpan = (what: OperationName): boolean => (SPANS as readonly OperationName[]).includes(what);

/**
 * The list after this write; undefined when it says all of it already. Written before the status, so that nothing is
 * lost when the bridge ends in between; the same Events, written again, change nothing.
 */
export function resultsAfter(shown: AboutToShow): readonly OperationResult[] | undefined {
  const known = resultsOf(shown.annotations);
  const afterEvents = shown.events
    .filter(({ id }) => !known.some(({ event }) => event !== undefined && isUpTo(event, id)))
    .reduce((results, event) => withEvent(results, event, shown), known);
  const spanned = SPANS.reduce((results, what) => withSpan(results, what, shown), afterEvents);
  const after = shown.isLeaving === true ? withDeletion(spanned, shown) : spanned;
  return same(after, known) ? undefined : after;
}

/** An Event was counted when it or a later one of the same memory was; a memory that begins anew has another prefix. */
function isUpTo(counted: string, id: string): boolean {
  const [[memory, last], [other, number]] = [counted.split('/'), id.split('/')];
  return memory === other && Number(number) <= Number(last);
}

function withEvent(
  results: readonly OperationResult[],
  event: ShownEvent,
  shown: AboutToShow,
): readonly OperationResult[] {
  const outcome = outcomeOf(event, shown);
  if (outcome === undefined) return results;
  const known = openStart(outcome.what, shown);
  const index = attemptsOf(results, outcome, known);
  const before = results[index];
  const start = known ?? (hasSpan(outcome.what) ? undefined : (before?.start ?? event.began));
  const failures = (before?.failures ?? 0) + (outcome.result === 'failed' ? 1 : 0);
  return [
    ...results.filter((_, at) => at !== index),
    {
      ...outcome,
      ...(start !== undefined && { start }),
      end: shown.at,
      ...(event.tookMs !== undefined && { tookMs: event.tookMs }),
      says: event.why ?? event.message,
      ...(failures > 0 && { failures }),
      ...requestOf(outcome.what, results, shown),
      event: event.id,
    },
  ];
}

/**
 * How an operation ended, as an Event says. A failed deployment, a failed deprovisioning and a failed deletion have the
 * same Event.
 */
function outcomeOf({ reason }: ShownEvent, shown: AboutToShow): Outcome | undefined {
  const what = FAILURES.get(reason);
  if (what === undefined) return ENDING[reason];
  if (what !== 'provision' || openStart('provision', shown) !== undefined) return { what, result: 'failed' };
  if (openStart('deprovision', shown) !== undefined) return { what: 'deprovision', result: 'failed' };
  return { what: isInDeletion(shown) ? 'delete' : what, result: 'failed' };
}

const isInDeletion = ({ status }: AboutToShow): boolean => traitsOf(status.provisioning.state).deletion.isPart;

/** The start of an operation that is under way, or that ends with this write; undefined: the object does not show it. */
function openStart(what: OperationName, { before, status, deletionTimestamp }: AboutToShow): string | undefined {
  if (what === 'delete') return deletionTimestamp;
  const history: Spans = status.operationHistory;
  const [now, earlier] = [history[what], before[what]];
  const isOver = Boolean(now?.end) && earlier?.start === now?.start && Boolean(earlier?.end);
  return isOver ? undefined : (now?.start ?? undefined);
}

/** The entry that this attempt belongs to, -1: none. Without a start, attempts belong together until one succeeds. */
function attemptsOf(results: readonly OperationResult[], { what }: Outcome, start: string | undefined): number {
  if (start !== undefined) return results.findLastIndex((entry) => entry.what === what && entry.start === start);
  const index = results.findLastIndex((entry) => entry.what === what);
  const { result, start: since } = results[index] ?? {};
  return result === 'failed' && (since === undefined || !hasSpan(what)) ? index : -1;
}

/** The deletion is done, for whom the finalizers of others let the object stay. */
function withDeletion(results: readonly OperationResult[], shown: AboutToShow): readonly OperationResult[] {
  const start = openStart('delete', shown);
  const index = attemptsOf(results, { what: 'delete', result: 'done' }, start);
  const before = results[index];
  if (before?.result === 'done') return results;
  const { failures, event } = before ?? {};
  return [
    ...results.filter((_, at) => at !== index),
    {
      what: 'delete',
      result: 'done',
      ...(start !== undefined && { start }),
      end: shown.at,
      ...(failures !== undefined && { failures }),
      ...requestOf('delete', results, shown),
      ...(event !== undefined && { event }),
    },
  ];
}

/** An operation that has ended with this write, for which no Event says how. */
function withSpan(
  results: readonly OperationResult[],
  what: (typeof SPANS)[number],
  shown: AboutToShow,
): readonly OperationResult[] {
  const start = openStart(what, shown);
  const end = shown.status.operationHistory[what]?.end;
  if (start === undefined || !end) return results;
  const index = results.findLastIndex((entry) => entry.what === what && entry.start === start);
  const others = results.filter((_, at) => at !== index);
  const before = results[index] ?? { what, start, end, result: 'ended', ...requestOf(what, results, shown) };
  const isRegistered = what === 'register' && !isInDeletion(shown);
  return [...others, isRegistered ? { ...withoutError(before), result: 'done', end } : { ...before, end }];
}

function withoutError(entry: OperationResult): OperationResult {
  const { says: _, ...rest } = entry;
  return rest;
}

/** The consumer for whom the operation was done, and the last message that asked for it. */
function requestOf(
  what: OperationName,
  results: readonly OperationResult[],
  { annotations, consumer }: AboutToShow,
): Pick<OperationResult, 'for' | 'asked'> {
  const since = results.findLast((entry) => entry.what === what && entry.result === 'done')?.end ?? '';
  const request = historyOf(annotations).findLast((entry) => entry.at >= since && isFor(what, entry));
  return {
    ...(consumer !== undefined && { for: consumer }),
    ...(request !== undefined && { asked: `${request.what} ${inWords(request)}` }),
  };
}

/** The operations of steps that people approve. */
const STEPS: Readonly<Record<string, OperationName>> = {
  provision: 'provision',
  deprovision: 'deprovision',
  prepare: 'prepare',
  'power-off': 'power',
};

function isFor(operation: OperationName, { what, reason }: HistoryEntry): boolean {
  if (what === 'retry') return operation !== 'power';
  if (what === 'reinspect') return operation === 'inspect';
  if (what === 'forceDelete') return operation === 'delete';
  if (what === 'approve') return STEPS[stepOf(reason.split(':')[0] ?? '')] === operation;
  return what.startsWith('power ') && operation === 'power';
}
