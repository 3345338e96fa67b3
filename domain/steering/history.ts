import { STEERING_ANNOTATIONS } from '../../api/baremetalhost/values.ts';
import { BOUNDS } from '../bounds/bounds.ts';
import { boundedJson } from '../bounds/json.ts';
import { askedBy } from './annotations.ts';
import { answerAsked, answerIn } from './answer.ts';
import { type Asked, inWords, type SteeringMessage } from './messages.ts';

/** One message or annotation, in the list on the object. */
export interface HistoryEntry extends Asked {
  /** RFC 3339. */
  readonly at: string;
  /** Such as `quarantine` or `power off`. */
  readonly what: string;
  /** Id of the message; an annotation of a person has none. */
  readonly id?: string;
  /** Its annotation is still there. */
  readonly open?: true;
  /** Why the annotation was refused, and removed. */
  readonly refused?: string;
}

type Annotations = Readonly<Record<string, string>>;

/** The oldest entries are dropped, those whose annotations are still there last. */
const LONGEST = 20;

/** The list on an object. Malformed entries are left out. */
export const historyOf = (annotations: Annotations): readonly HistoryEntry[] =>
  listIn(annotations[STEERING_ANNOTATIONS.history] ?? '[]')
    ?.filter(isEntry)
    .slice(-LONGEST) ?? [];

/** What is wrong with a list that somebody writes; undefined: nothing. */
export const historyProblem = (value: string): string | undefined =>
  listIn(value)?.every(isEntry) === true
    ? undefined
    : 'is the list that Temper keeps of what people asked for: remove it, or leave it as it is';

/** undefined: the value is no list. */
export function listIn(value: string): readonly unknown[] | undefined {
  try {
    const list: unknown = boundedJson(value, BOUNDS.annotation);
    return Array.isArray(list) ? list : undefined;
  } catch {
    return undefined;
  }
}

function isEntry(value: unknown): value is HistoryEntry {
  if (typeof value !== 'object' || value === null) return false;
  const { at, what, by, reason, id, open, refused } = value as Readonly<Record<string, unknown>>;
  return (
    [at, what, by, reason].every((text) => typeof text === 'string') &&
    [id, refused].every((text) => text === undefined || typeof text === 'string') &&
    (open === undefined || open === true)
  );
}

/** The value of the annotation with the list. */
export function historyValue(entries: readonly HistoryEntry[]): string {
  const dropped = new Set(entries.filter(({ open }) => !open).slice(0, Math.max(0, entries.length - LONGEST)));
  return JSON.stringify(entries.filter((entry) => !dropped.has(entry)).slice(-LONGEST));
}

/** An annotation whose appearance and removal are entries of the list, also when people set it without a message. */
export interface FollowedAnnotation {
  readonly key: string;
  readonly what: string;
  /** The entry that its removal makes, such as `resume`; absent: none. */
  readonly end?: string;
  /** Its value is an answer to a code. */
  readonly isAnswer?: true;
  /** Only an annotation that a message has set is followed: other programs set it for reasons of their own. */
  readonly ofMessages?: true;
  /** The message that asks for the same: when that would be refused, the annotation is refused and removed. */
  readonly asMessage?: (asked: Asked, value: string) => SteeringMessage;
}

/** Entries that end another one. */
const ENDS: readonly string[] = ['resume', 'retry', 'release'];

/**
 * The list with the annotations as they are now: entries are added for annotations that people have set or removed
 * without a message. Returns the same list when nothing is missing.
 */
export function settledHistory(
  annotations: Annotations,
  at: string,
  followed: readonly FollowedAnnotation[],
): readonly HistoryEntry[] {
  const known = historyOf(annotations);
  return followed.reduce<readonly HistoryEntry[]>((entries, each) => follow(entries, each, annotations, at), known);
}

function follow(
  entries: readonly HistoryEntry[],
  { key, what, end, isAnswer, ofMessages }: FollowedAnnotation,
  annotations: Annotations,
  at: string,
): readonly HistoryEntry[] {
  const answer = isAnswer ? answerIn(annotations[key]) : undefined;
  const asked = answer === undefined ? askedBy(annotations, key) : answerAsked(answer);
  const index = entries.findLastIndex((entry) => entry.what === what && entry.open);
  const open = entries[index];
  if (asked === undefined) {
    if (open === undefined) return entries;
    const isTold = entries.slice(index + 1).some((entry) => ENDS.includes(entry.what));
    const removed = { at, what: end ?? '', by: '', reason: 'its annotation was removed' };
    return [...closed(entries, what), ...(end === undefined || isTold ? [] : [removed])];
  }
  if (ofMessages || isSame(open, asked, what)) return entries;
  return [...closed(entries, what), { at, what, ...asked, open: true }];
}

/**
 * A deletion by force has the name of the host as its value, so the value has neither a person nor a reason to compare.
 */
const isSame = (open: HistoryEntry | undefined, asked: Asked, what: string): boolean =>
  open !== undefined && (what === 'forceDelete' || (open.by === asked.by && open.reason === asked.reason));

const closed = (entries: readonly HistoryEntry[], what: string): readonly HistoryEntry[] =>
  entries.map((entry) => {
    if (entry.what !== what) return entry;
    const { open: _, ...rest } = entry;
    return rest;
  });

/** The person and the reason of a message; for an answer, the reason begins with its code. */
export const askedOf = (message: SteeringMessage): Asked =>
  'code' in message ? answerAsked(message) : { by: message.by, reason: message.reason };

/** The list with a message that has just changed the annotations from the first to the second. */
export function withMessage(
  [before, after]: readonly [Annotations, Annotations],
  message: Omit<HistoryEntry, 'open'>,
  followed: readonly FollowedAnnotation[],
): readonly HistoryEntry[] {
  const settled = settledHistory(before, message.at, followed);
  const isFollowed = followed.some(({ key, what }) => what === message.what && key in after);
  const entries = [...settled, { ...message, ...(isFollowed && { open: true as const }) }];
  return settledHistory({ ...after, [STEERING_ANNOTATIONS.history]: historyValue(entries) }, message.at, followed);
}

const REASONS: Readonly<Record<string, string>> = {
  pause: 'Paused',
  resume: 'Resumed',
  retry: 'Retried',
  abort: 'Aborted',
  quarantine: 'Quarantined',
  release: 'Released',
  reinspect: 'ReinspectionRequested',
  approve: 'Approved',
  reject: 'Rejected',
  forceDelete: 'ForceDeleted',
};

/** The Event that tells of an entry. */
export const eventOf = (
  entry: HistoryEntry,
): { readonly reason: string; readonly message: string; readonly id: string } => ({
  id: `steered ${entry.id ?? `${entry.what} ${entry.at}`}`,
  reason: entry.refused === undefined ? (REASONS[entry.what] ?? 'PowerRequested') : 'SteeringRefused',
  message: entryInWords(entry),
});

/** `quarantine by ada: the fan is loud`, and why an annotation was refused. */
export const entryInWords = (entry: HistoryEntry): string =>
  `${entry.what} ${inWords(entry)}${entry.refused === undefined ? '' : `; refused: ${entry.refused}`}`;
