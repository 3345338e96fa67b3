import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serveClusterApi } from '../differential/cluster-api/kinds.ts';
import { isToldInOlder } from '../differential/cluster-api/older.ts';
import { OLDER_KUBERNETES, OPERATORS, readStories } from '../differential/cluster-api/story.ts';
import { aFixtureLab, type TestFixtureLab } from './support/fixture.ts';
import { openOlderCluster, type WorkloadServer } from './support/older-cluster.ts';
import { QUICK_FIXTURE } from './support/place/quick-fixture.ts';
import { nearest, type Told, tellStories, waysOf } from './support/stories.ts';

/** The stories recorded with ip-address-manager and cluster-api-provider-metal3, played with Temper. */
const only = process.env['TEMPER_STORY'];
const inStored = OPERATORS.flatMap((operator) =>
  readStories(operator)
    .filter(({ settings }) => settings === undefined || settings === OLDER_KUBERNETES)
    .filter(({ story }) => new RegExp(only ?? '').test(story))
    .map((story) => ({ operator, story, title: story.story })),
);
/**
 * The same objects written in v1beta1 are stored as the same, so upstream's answers are the same too. Every third is
 * played so, all with `TEMPER_STORY`.
 */
const inOlder = inStored
  .filter(({ story }) => isToldInOlder(story))
  .filter((_, index) => only !== undefined || index % 3 === 0)
  .map((each) => ({ ...each, title: `${each.title}, in v1beta1`, older: true }));
const all: readonly (Told & { readonly title: string })[] = [...inStored, ...inOlder].map((each, index) => ({
  ...each,
  namespace: `story-${index}`,
}));
/** All in the nightly run, every ninth in a run of the file alone. */
const isLeft = (index: number): boolean =>
  only === undefined && process.env['TEMPER_STORIES'] !== 'all' && index % 9 > 0;
const stories = all.filter((_, index) => !isLeft(index));
let lab: TestFixtureLab;
let cluster: WorkloadServer;
let told: Awaited<ReturnType<typeof tellStories>>;

beforeAll(async () => {
  lab = await aFixtureLab({ temperEnv: { ...QUICK_FIXTURE, PROVISIONING_LIMIT: '1000' }, keepsVersions: true });
  await serveClusterApi(lab.endpoints.kubeconfig);
  cluster = await openOlderCluster(lab.kube);
  const { kubeconfig } = lab.endpoints;
  const ofOlder = join(dirname(kubeconfig), 'kubeconfig-of-older-cluster');
  await writeFile(ofOlder, cluster.kubeconfig);
  told = await tellStories(lab, stories, ({ story: { settings } }) =>
    settings === OLDER_KUBERNETES ? ofOlder : kubeconfig,
  );
});
afterAll(async () => {
  await told?.end();
  await lab?.stop();
  await cluster?.close();
});

test.each(stories)('$title: as upstream answers', async (each) => {
  const ours = await told.accountOf(each);
  if (ours === undefined) throw new Error('this story was not told');
  expect(ours).toEqual(nearest(waysOf(each), ours));
});
