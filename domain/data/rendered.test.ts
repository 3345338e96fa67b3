import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { type Rendered, type RenderedCase, render, writtenCases } from '../../test/rendered/case.ts';

const recorded = <Row>(file: string): Row[] =>
  JSON.parse(readFileSync(new URL(`../../test/rendered/${file}`, import.meta.url), 'utf8')) as Row[];

const answers = new Map(
  recorded<{ readonly name: string; readonly answer: Rendered }>('answers.json').map(({ name, answer }) => [
    name,
    answer,
  ]),
);
const madeUp = recorded<{ readonly made: RenderedCase; readonly answer: Rendered }>('made-up.json');

describe('metadata, network configuration and pools are what cluster-api-provider-metal3 makes of the same objects', () => {
  test.each(writtenCases())('$name', (given) => {
    expect(answers.has(given.name), 'upstream was asked about this case: node scripts/record-rendered.ts').toBe(true);
    expect(render(given)).toEqual(answers.get(given.name));
  });

  test.each(madeUp)('$made.name', ({ made, answer }) => {
    expect(render(made)).toEqual(answer);
  });
});
