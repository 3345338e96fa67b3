import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedVerdict } from './verdict.ts';

const file = (kind: string): string => join(import.meta.dirname, `${kind.toLowerCase()}.jsonl`);

/** One verdict for each line, so that a change of one is a change of one line. */
export function readVerdicts(kind: string): readonly RecordedVerdict[] {
  return readFileSync(file(kind), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RecordedVerdict);
}

export function writeVerdicts(kind: string, verdicts: readonly RecordedVerdict[]): void {
  writeFileSync(file(kind), verdicts.map((verdict) => `${JSON.stringify(verdict)}\n`).join(''));
}
