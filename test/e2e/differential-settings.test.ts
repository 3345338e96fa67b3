import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveAnyClusterApi } from '../differential/cluster-api/kinds.ts';
import { OLDER_KUBERNETES, OPERATORS, readStories } from '../differential/cluster-api/story.ts';
import type { TestFixtureLab } from './support/fixture.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE } from './support/place/quick-fixture.ts';
import { nearest, type Told, tellStories, waysOf } from './support/stories.ts';

/**
 * The stories recorded with other settings of cluster-api-provider-metal3, played with Temper and the same settings.
 */
const stories: readonly Told[] = OPERATORS.flatMap((operator) =>
  readStories(operator)
    .filter(({ settings }) => settings !== undefined && settings !== OLDER_KUBERNETES)
    .map((story) => ({ operator, story })),
).map((each, index) => ({ ...each, namespace: `differential-settings-${index}` }));
let lab: TestFixtureLab;
let told: Awaited<ReturnType<typeof tellStories>>;

beforeAll(async () => {
  lab = await joinFixtureLab({
    namespaces: stories.map(({ namespace }) => namespace),
    temperEnv: { ...QUICK_FIXTURE, CAPM3_FAST_TRACK: 'true', ENABLE_BMH_NAME_BASED_PREALLOCATION: 'true' },
  });
  await serveAnyClusterApi(lab.kube);
  told = await tellStories(lab, stories);
});
afterAll(async () => {
  await told?.end();
  await lab?.stop();
});

test.each(stories)('$story.story: as upstream answers with these settings', async (each) => {
  const ours = await told.accountOf(each);
  if (ours === undefined) throw new Error('this story was not told');
  expect(ours).toEqual(nearest(waysOf(each), ours));
});
