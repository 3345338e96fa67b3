import { durationWords } from '../../domain/diagnosis/duration-words.ts';
import type { OperationResult } from '../../domain/host/results/results.ts';
import { entryInWords, type HistoryEntry } from '../../domain/steering/history.ts';
import type { BareMetalHostRead } from '../../kube/objects/baremetalhost.ts';
import { section } from '../explain/render.ts';
import type { OperationRun } from './runs.ts';

/** The past of a host or a machine. Plain JSON: this is what `--output json` prints. */
export interface History {
  /** The messages of people, from the object. */
  readonly messages: readonly HistoryEntry[];
  /** How operations ended, from the object. */
  readonly operations: readonly OperationResult[];
  /** Start and end of the last operation of each kind, from the status of a host. */
  readonly operationHistory: BareMetalHostRead['operationHistory'];
  /** Each attempt, as far as Temporal still has its run; absent: it was not asked, or did not answer. */
  readonly runs?: readonly OperationRun[];
  /** Set for a host that was deleted: its lists went with it, and only its runs are left. */
  readonly gone?: string;
  /** The objects that could not be read, each with the reason. */
  readonly unread: readonly string[];
}

interface Line {
  readonly at: string;
  readonly text: string;
}

/** The lines for people; the oldest entry comes first. */
export function historyLines(history: History): readonly string[] {
  const { messages, operations, operationHistory, runs = [], gone, unread } = history;
  const asked = messages.map(
    (entry): Line => ({ at: entry.at, text: `${entryInWords(entry)}${entry.open ? ' (holds)' : ''}` }),
  );
  const ended = operations.map((result): Line => ({ at: result.start ?? result.end, text: operationWords(result) }));
  const others = Object.entries(operationHistory).flatMap(([what, { start, end }]): readonly Line[] => {
    if (!start || operations.some((each) => each.what === what && each.start === start)) return [];
    const text = end ? `took ${lasting(start, end)}; its result was not kept` : 'not ended yet';
    return [{ at: start, text: `${what}: ${text}` }];
  });
  const lines = [...asked, ...ended, ...others].toSorted((a, b) => (a.at === b.at ? 0 : a.at < b.at ? -1 : 1));
  return [
    ...(lines.length === 0 ? [gone ?? 'nothing yet'] : lines.map(({ at, text }) => `${at}  ${text}`)),
    ...section('Attempts whose runs Temporal still has', runs.map(runWords)),
    ...section('Not looked at', unread),
  ];
}

export function operationWords(operation: OperationResult): string {
  const { what, result, says = '', failures = 0, for: whom, asked } = operation;
  const time = timeWords(operation);
  const words = {
    done: `done${time}${failures === 0 ? '' : `, ${times(failures)} failed before`}`,
    failed: `${times(failures)} failed${time === '' ? '' : `, the last${time}`}`,
    ended: `ended${says === '' ? '' : `: ${says},`}${time}`,
  };
  const more = [
    ...(says === '' || result === 'ended' ? [] : [`: ${says}`]),
    ...(whom === undefined ? [] : [`; for ${whom}`]),
    ...(asked === undefined ? [] : [`; ${asked}`]),
  ];
  return `${what}: ${words[result]}${more.join('')}`;
}

/** How long the last attempt took; of a deletion, how long it was asked for. */
function timeWords({ what, start, end, tookMs }: OperationResult): string {
  if (tookMs !== undefined) return ` after ${durationWords(tookMs)}`;
  if (start === undefined) return '';
  return ` ${lasting(start, end)} after ${what === 'delete' ? 'it was asked for' : 'it began'}`;
}

const times = (failures: number): string => (failures === 1 ? '1 attempt' : `${failures} attempts`);

function runWords({ id, start, end, status, error = '', because = '' }: OperationRun): string {
  const time = end === undefined ? '' : ` after ${lasting(start, end)}`;
  const why = because === '' ? error : `ended: ${because}`;
  return `${start}  ${status.toLowerCase()}${time}  ${id}${why === '' ? '' : `: ${why}`}`;
}

const lasting = (start: string, end: string): string => durationWords(Date.parse(end) - Date.parse(start));
