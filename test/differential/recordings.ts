import { readFileSync, writeFileSync } from 'node:fs';
import { same } from '../../domain/same.ts';
import { isObject, type Json } from '../../kube/merge-patch.ts';

/**
 * What happened, in the order of writes: steps of the story (by number, with the API server's words when it refused
 * one), steps at which it rested, Events, and changes of objects as JSON merge patches from the former version (from
 * nothing at first); null when deleted.
 */
export type Entry =
  | { readonly step: number; readonly refused?: string }
  | { readonly rest: number }
  | { readonly event: Json }
  | { readonly kind: string; readonly name: string; readonly change: Json | null };

/** One variant of a story; a story may have several. */
export interface Recording {
  readonly story: string;
  /** Number of runs with this variant. */
  readonly runs: number;
  readonly timeline: readonly Entry[];
}

/** The first line of the file: what was recorded and how. */
export type Header = Readonly<Record<string, string>>;

export interface Recordings {
  readonly header: Header;
  readonly recordings: readonly Recording[];
}

export function readRecordingsOf(file: string): Recordings {
  const [header = '{}', ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  return { header: JSON.parse(header) as Header, recordings: lines.map((line) => JSON.parse(line) as Recording) };
}

export function writeRecordingsTo(file: string, header: Header, recordings: readonly Recording[]): void {
  writeFileSync(file, [header, ...recordings].map((line) => `${JSON.stringify(line)}\n`).join(''));
}

/** Adds a run to the runs of its story with the same variant. */
export function counted(
  recordings: readonly Recording[],
  story: string,
  timeline: readonly Entry[],
): readonly Recording[] {
  const alike = recordings.find((recording) => recording.story === story && same(recording.timeline, timeline));
  if (alike === undefined) return [...recordings, { story, runs: 1, timeline }];
  return recordings.map((recording) => (recording === alike ? { ...recording, runs: recording.runs + 1 } : recording));
}

/** The object after a JSON merge patch. */
export function patched(object: Json, patch: Json): Json {
  const result: Record<string, unknown> = { ...object };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else if (isObject(value)) result[key] = patched(isObject(result[key]) ? result[key] : {}, value);
    else result[key] = value;
  }
  return result;
}
