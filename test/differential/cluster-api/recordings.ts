import { join } from 'node:path';
import { type Header, type Recording, type Recordings, readRecordingsOf, writeRecordingsTo } from '../recordings.ts';
import type { Operator } from './story.ts';

const fileOf = (operator: Operator): string => join(import.meta.dirname, 'recorded', `${operator}.jsonl`);

export const readRecordings = (operator: Operator): Recordings => readRecordingsOf(fileOf(operator));

export const writeRecordings = (operator: Operator, header: Header, recordings: readonly Recording[]): void =>
  writeRecordingsTo(fileOf(operator), header, recordings);
