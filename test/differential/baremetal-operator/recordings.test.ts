import { describe, expect, test } from 'vitest';
import { same } from '../../../domain/same.ts';
import { readDifferences } from '../../../scripts/conformance.ts';
import { accountOf } from './account.ts';
import { comparable } from './compare.ts';
import { asTemper, FIXTURES_OWN, KNOWN_DIFFERENCES, NOT_PLAYED } from './known-differences.ts';
import { readRecordings } from './recordings.ts';
import { readStories } from './story.ts';

const { header, recordings } = readRecordings();
const stories = readStories();

describe('what upstream answered', () => {
  test('is there for every story, each as often as it was played', () => {
    const runs = new Map<string, number>();
    for (const { story, runs: more } of recordings) runs.set(story, (runs.get(story) ?? 0) + more);
    expect(Object.fromEntries(runs)).toEqual(
      Object.fromEntries(stories.map(({ story }) => [story, Number(header['runs'])])),
    );
  });

  test('is whole: every step that writes is in it, in its place', () => {
    const waits = ['until', 'event', 'gone', 'quiet', 'restart'];
    const written = new Map(
      stories.map(({ story, steps }) => [
        story,
        steps.flatMap((step, index) => (waits.some((wait) => wait in step) ? [] : [index])),
      ]),
    );
    for (const { story, timeline } of recordings)
      expect(
        timeline.flatMap((entry) => ('step' in entry ? [entry.step] : [])),
        story,
      ).toEqual(written.get(story));
  });

  test('knows no secret', () => {
    expect(JSON.stringify(recordings)).not.toContain('"data"');
  });
});

describe('a known difference', () => {
  test('is one: upstream answers something else to each of its stories, and a row of the conformance table says why', () => {
    const rows = readDifferences();
    const titles = stories.map(({ story }) => story);
    for (const { row, stories: its } of KNOWN_DIFFERENCES) {
      expect(rows).toContain(row);
      for (const story of its)
        expect(
          waysOf(story).some((way) => !same(way, asTemper(way, story))),
          story,
        ).toBe(true);
    }
    for (const [story, row] of Object.entries(NOT_PLAYED)) {
      expect(rows).toContain(row);
      expect(titles).toContain(story);
    }
    expect(titles).toEqual(expect.arrayContaining(Object.keys(FIXTURES_OWN)));
  });
});

const waysOf = (title: string) =>
  stories
    .filter(({ story }) => story === title)
    .flatMap((story) =>
      recordings
        .filter((recording) => recording.story === title)
        .map(({ timeline }) => comparable(accountOf(timeline), story)),
    );

test('a timeline as an account has the values of each field and the last ones', () => {
  const account = accountOf([
    { step: 0 },
    { kind: 'BareMetalHost', name: 'host', change: { metadata: {}, spec: { online: true } } },
    { kind: 'Secret', name: 'bmc', change: { metadata: { finalizers: ['x'] } } },
    {
      kind: 'BareMetalHost',
      name: 'host',
      change: status({ state: 'registering' }, { errorCount: 0, poweredOn: false }),
    },
    { event: { reason: 'Registered', type: 'Normal', message: 'Registered new host' } },
    {
      kind: 'BareMetalHost',
      name: 'host',
      change: status({}, { errorType: 'registration error', errorMessage: 'no', errorCount: 1 }),
    },
    {
      kind: 'BareMetalHost',
      name: 'host',
      change: status({ state: 'inspecting' }, { errorType: null, errorMessage: '' }),
    },
    { kind: 'Secret', name: 'bmc', change: null },
  ]);
  expect(account).toMatchObject({
    states: ['registering', 'inspecting'],
    errorCount: [0, 1],
    poweredOn: [false],
    errors: ['registering: registration error: no'],
    events: ['Registered (Normal): Registered new host'],
    left: { 'BareMetalHost host': { spec: { online: true }, status: { errorCount: 1, errorMessage: '' } } },
  });
  expect(Object.keys(account.left)).toEqual(['BareMetalHost host']);
});

function status(provisioning: object, rest: object): { readonly status: object } {
  return { status: { provisioning, ...rest } };
}
