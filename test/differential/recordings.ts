import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { same } from '../../domain/same.ts';
import type { Entry } from './timeline.ts';

/** One variant of a story; a story may have several. */
export interface Recording {
  readonly story: string;
  /** Number of runs with this variant. */
  readonly runs: number;
  readonly timeline: readonly Entry[];
}

/** The first line of the file: what was recorded and how. */
export type Header = Readonly<Record<string, string>>;

const FILE = join(import.meta.dirname, 'recorded', 'upstream-fixture.jsonl');

export function readRecordings(): { readonly header: Header; readonly recordings: readonly Recording[] } {
  const [header = '{}', ...lines] = readFileSync(FILE, 'utf8').trim().split('\n');
  return { header: JSON.parse(header) as Header, recordings: lines.map((line) => JSON.parse(line) as Recording) };
}

export function writeRecordings(header: Header, recordings: readonly Recording[]): void {
  writeFileSync(FILE, [header, ...recordings].map((line) => `${JSON.stringify(line)}\n`).join(''));
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
