import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { expected, type Rendered, type RenderedCase, render, writtenCases } from '../../test/rendered/case.ts';
import { read } from '../../test/rendered/reading.ts';

const recorded = <Row>(file: string): Row[] =>
  JSON.parse(readFileSync(new URL(`../../test/rendered/${file}`, import.meta.url), 'utf8')) as Row[];

const answers = new Map(
  recorded<{ readonly name: string; readonly answer: Rendered }>('answers.json').map(({ name, answer }) => [
    name,
    answer,
  ]),
);
const madeUp = recorded<{ readonly made: RenderedCase; readonly answer: Rendered }>('made-up.json');

describe('metadata, network configuration and pools equal what cluster-api-provider-metal3 renders from the same objects', () => {
  test.each(writtenCases())('$name', (given) => {
    const theirs = answers.get(given.name);
    if (theirs === undefined)
      throw new Error('upstream was not asked about this case: node scripts/record-rendered.ts');
    const ours = render(given);
    expect(read(ours)).toEqual(read(expected(theirs, ours, given)));
  });

  test.each(madeUp)('$made.name', ({ made, answer }) => {
    const ours = render(made);
    expect(read(ours)).toEqual(read(expected(answer, ours, made)));
  });
});
