import { describe, expect, test } from 'vitest';
import { same } from '../../../domain/same.ts';
import { readDifferences } from '../../../scripts/conformance.ts';
import { accountOf } from './account.ts';
import { comparable } from './compare.ts';
import { asTemper, knownDifferences, OTHER_OBJECTS, OTHER_WORDS } from './known-differences.ts';
import { readRecordings } from './recordings.ts';
import { OPERATORS, type Operator, readStories } from './story.ts';

const ANSWERS = new Map(OPERATORS.map((operator) => [operator, readRecordings(operator).recordings]));
const rows = readDifferences();

describe.each(OPERATORS)('what %s answered', (operator) => {
  const { header, recordings } = readRecordings(operator);
  const stories = readStories(operator);

  test('is there for every story, each as often as it was played', () => {
    const runs = new Map<string, number>();
    for (const { story, runs: more } of recordings) runs.set(story, (runs.get(story) ?? 0) + more);
    expect(Object.fromEntries(runs)).toEqual(
      Object.fromEntries(stories.map(({ story }) => [story, Number(header['runs'])])),
    );
  });

  test('is whole: every step is in it, in its place', () => {
    const steps = new Map(stories.map(({ story, steps: its }) => [story, its.map((_, index) => index)]));
    for (const { story, timeline } of recordings)
      expect(
        timeline.flatMap((entry) => ('step' in entry ? [entry.step] : 'rest' in entry ? [entry.rest] : [])),
        story,
      ).toEqual(steps.get(story));
  });

  test('is different from ours only where a row of the conformance page says why', () => {
    for (const { row, stories: its } of knownDifferences(operator)) {
      expect(rows).toContain(row);
      for (const story of its)
        expect(
          waysOf(operator, story).some((way) => !same(way, asTemper(way, operator, story))),
          `${row}: ${story}`,
        ).toBe(true);
    }
  });
});

test('other words of ours have a row, and upstream says its own', () => {
  const said = OPERATORS.map((operator) => JSON.stringify(ANSWERS.get(operator)))
    .join('\n')
    .replaceAll('\\"', '"');
  for (const { row, upstream } of OTHER_WORDS) {
    expect(rows).toContain(row);
    expect(said).toMatch(upstream);
  }
});

test('other objects of ours have a row, and upstream has its own', () => {
  const objects = OPERATORS.flatMap((operator) =>
    readStories(operator).flatMap(({ story }) =>
      waysOf(operator, story).flatMap(({ rests }) => Object.values(rests).flatMap((rest) => Object.entries(rest))),
    ),
  );
  for (const { row, temper } of OTHER_OBJECTS) {
    expect(rows).toContain(row);
    expect(
      objects.some(([name, object]) => !same(object, temper(name.split(' ')[0] ?? '', object))),
      row,
    ).toBe(true);
  }
});

test('a timeline as an account has the refusals, and the objects at each rest', () => {
  const account = accountOf([
    { step: 0, refused: 'no' },
    { rest: 1 },
    { kind: 'IPPool', name: 'a', change: { spec: { x: 1 } } },
    { step: 2 },
    { rest: 3 },
    { kind: 'IPPool', name: 'a', change: { spec: { x: null, y: 2 } } },
    { kind: 'IPClaim', name: 'b', change: {} },
    { rest: 4 },
    { kind: 'IPPool', name: 'a', change: null },
  ]);
  expect(account).toEqual({
    refused: { 0: 'no' },
    rests: {
      1: { 'IPPool a': { spec: { x: 1 } } },
      3: { 'IPPool a': { spec: { y: 2 } }, 'IPClaim b': {} },
      4: { 'IPClaim b': {} },
    },
  });
});

const waysOf = (operator: Operator, title: string) =>
  (ANSWERS.get(operator) ?? [])
    .filter(({ story }) => story === title)
    .map(({ timeline }) => comparable(accountOf(timeline)));
