import { describe, expect, test } from 'vitest';
import { takesLonger } from '../../test/builders/cpu-time.ts';
import { examplesOf } from '../../test/builders/diagnoses/examples.ts';
import { diagnose } from './diagnose.ts';
import { wordsOf } from './sight.ts';
import { DIAGNOSES } from './table.ts';

const LENGTH = 1_000_000;
const repeated = (text: string): string => text.repeat(Math.ceil(LENGTH / text.length));

const host = DIAGNOSES.flatMap((row) => examplesOf(row)[0].host ?? [])[0];

/** What the rows recognise, and what makes their expressions begin again and again. */
const WORDS = [
  ...new Set(
    DIAGNOSES.flatMap((row) => {
      const found = row.of === 'temporal' ? undefined : examplesOf(row)[0][row.of];
      return found === undefined ? [] : wordsOf(found);
    }).map(({ words }) => words),
  ),
  'le',
  'HTTP A A',
  'Resource /redfish/',
  'Image provisioning failed (url: ',
];

describe('the words of a failure', () => {
  test('take milliseconds of their thread at most, however long and however chosen they are', () => {
    if (host === undefined) throw new Error('no example has a host');
    const slow = WORDS.filter((words) => {
      const texts = [{ field: 'status.errorMessage', words: repeated(words) }];
      return takesLonger(() => diagnose({ now: 0, host: { ...host, conditions: [], texts } }), 240);
    });
    expect(slow).toEqual([]);
  });
});
