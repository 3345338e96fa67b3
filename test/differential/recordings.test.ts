import { describe, expect, test } from 'vitest';
import { accountOf } from './account.ts';
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

test('a timeline told as an account has what each field went through and what is left', () => {
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
