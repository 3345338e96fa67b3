import { OPERATIONS_ANNOTATION } from '../../../api/baremetalhost/values.ts';
import { listIn } from '../../steering/history.ts';

const OPERATIONS = ['register', 'adopt', 'inspect', 'prepare', 'provision', 'deprovision', 'power', 'delete'] as const;
export type OperationName = (typeof OPERATIONS)[number];

/** `ended`: neither done nor failed, because the host asks for something else by now. */
const ENDS = ['done', 'failed', 'ended'] as const;

/** How an operation of a host ended, in the list on the host. Attempts of one operation are one entry. */
export interface OperationResult {
  readonly what: OperationName;
  readonly result: (typeof ENDS)[number];
  /** RFC 3339; absent for operations whose start is not in `status.operationHistory`. */
  readonly start?: string;
  /** RFC 3339: of the last attempt so far. */
  readonly end: string;
  /** How long the last attempt took, without the pauses and attempts before it; absent where that is not known. */
  readonly tookMs?: number;
  /** What the operation has done, its last error, or why it ended. */
  readonly says?: string;
  /** Attempts that failed. */
  readonly failures?: number;
  /** The consumer of the host, such as `Metal3Machine metal/worker-1`. */
  readonly for?: string;
  /** Who asked for it with a message, or approved it, and why. */
  readonly asked?: string;
  /** Id of the last Event that was counted: each Event counts once. */
  readonly event?: string;
}

/** The oldest are dropped. */
const MOST = 20;
const MOST_BYTES = 8_192;
/** The cause is often at the end of what Ironic says. */
const LONGEST_TEXT = 300;

/** The list on an object; empty when the annotation has anything else. */
export const resultsOf = (annotations: Readonly<Record<string, string>>): readonly OperationResult[] =>
  listIn(annotations[OPERATIONS_ANNOTATION] ?? '[]')
    ?.filter(isResult)
    .slice(-MOST) ?? [];

/** What is wrong with a list that somebody writes; undefined: nothing. */
export const resultsProblem = (value: string): string | undefined =>
  listIn(value)?.every(isResult) === true
    ? undefined
    : 'is the list that Temper keeps of how operations ended: remove it, or leave it as it is';

function isResult(value: unknown): value is OperationResult {
  if (typeof value !== 'object' || value === null) return false;
  const { what, result, end, tookMs, failures, ...texts } = value as Readonly<Record<string, unknown>>;
  return (
    (OPERATIONS as readonly unknown[]).includes(what) &&
    (ENDS as readonly unknown[]).includes(result) &&
    typeof end === 'string' &&
    [tookMs, failures].every((number) => number === undefined || typeof number === 'number') &&
    Object.values(texts).every((text) => typeof text === 'string')
  );
}

/** The value of the annotation with the list: the newest entries that fit. */
export function resultsValue(results: readonly OperationResult[]): string {
  const newest = results.slice(-MOST).map(withShortTexts);
  const value = JSON.stringify(newest);
  const isTooLong = new TextEncoder().encode(value).length > MOST_BYTES;
  return isTooLong ? resultsValue(newest.slice(1)) : value;
}

const withShortTexts = (entry: OperationResult): OperationResult => ({
  ...entry,
  ...(entry.says !== undefined && { says: short(entry.says) }),
  ...(entry.asked !== undefined && { asked: short(entry.asked) }),
});

function short(text: string): string {
  const line = text.replaceAll(/[\p{Cc}\p{Z}]+/gu, ' ').trim();
  return line.length <= LONGEST_TEXT ? line : `${line.slice(0, LONGEST_TEXT - 1).toWellFormed()}…`;
}
