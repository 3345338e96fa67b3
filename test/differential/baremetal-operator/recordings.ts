import { join } from 'node:path';
import { type Header, type Recording, type Recordings, readRecordingsOf, writeRecordingsTo } from '../recordings.ts';

const FILE = join(import.meta.dirname, 'recorded', 'upstream-fixture.jsonl');

export const readRecordings = (): Recordings => readRecordingsOf(FILE);

export const writeRecordings = (header: Header, recordings: readonly Recording[]): void =>
  writeRecordingsTo(FILE, header, recordings);
