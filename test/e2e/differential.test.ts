import { isDeepStrictEqual } from 'node:util';
import PQueue from 'p-queue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { KINDS } from '../../kube/kinds.ts';
import { collectionPath } from '../../kube/paths.ts';
import { hostWorkflowId, view } from '../../workflows/messages.ts';
import { type Account, accountOf } from '../differential/baremetal-operator/account.ts';
import { comparable } from '../differential/baremetal-operator/compare.ts';
import { asTemper, FIXTURES_OWN, NOT_PLAYED } from '../differential/baremetal-operator/known-differences.ts';
import { type Played, play } from '../differential/baremetal-operator/play.ts';
import { readRecordings } from '../differential/baremetal-operator/recordings.ts';
import { readStories, type Story } from '../differential/baremetal-operator/story.ts';
import { timelineOf } from '../differential/baremetal-operator/timeline.ts';
import { untrueIn } from '../kstatus/untrue.ts';
import { aFixtureLab, type TestFixtureLab } from './support/fixture.ts';
import { withTemporal } from './support/histories.ts';
import { joinFixtureLab } from './support/place/join.ts';

/** The stories recorded with baremetal-operator, played with Temper, both with a fixture provisioner. */
const PATIENCE = { quietMs: 6_000, patienceMs: 600_000 };
const isNight = process.env['TEMPER_STORIES'] === 'all';
/** By day other tests run beside them, and more at once only make each other slow. */
const AT_ONCE = isNight ? 20 : 10;

const left = { ...NOT_PLAYED, ...FIXTURES_OWN };
const playable = readStories().filter(({ story }) => left[story] === undefined);
/** Every 32nd story in `npm test`, all in the nightly run. */
const stories = isNight ? playable : playable.filter((_, index) => index % 32 === 0);
const { recordings } = readRecordings();
interface Told {
  readonly account: Account;
  /** Where kstatus took the host for something that it was not. */
  readonly untrue: readonly string[];
}
const told = new Map<string, Promise<Told>>();
const queue = new PQueue({ concurrency: AT_ONCE });
let lab: TestFixtureLab;

beforeAll(async () => {
  // Upstream's fixture provisioner has no limit, and the stories were recorded without its webhooks. On a busy machine
  // an operation must not end before the story interrupts it: an inspection takes 12 seconds, a deployment a minute.
  const temperEnv = { PROVISIONING_LIMIT: '1000', WEBHOOK_PORT: '0', FIXTURE_TIME_SCALE: '6' };
  const namespaces = stories.map((_, index) => `story-${index}`);
  // A bridge that watches single namespaces has watches of its own for each of them, too many for all stories.
  lab = await (isNight
    ? aFixtureLab({ temperEnv, keepsVersions: true })
    : joinFixtureLab({ temperEnv, namespaces, skipsAdmission: true }));
  for (const [index, story] of stories.entries()) {
    const telling = queue.add(() => tell(story, `story-${index}`));
    telling.catch(() => undefined);
    told.set(story.story, telling);
  }
});
afterAll(async () => {
  queue.clear();
  await queue.onIdle();
  await lab?.stop();
});

/** The comparable account of a story played with Temper, and what kstatus said of its host. */
async function tell(story: Story, namespace: string): Promise<Told> {
  const { kube } = lab;
  // By day they are there: `joinFixtureLab` makes those that its bridge watches.
  const body = { metadata: { name: namespace } };
  if (isNight) await kube.request({ method: 'POST', path: '/api/v1/namespaces', body });
  const ours = (played: Played): Account => comparable(accountOf(timelineOf(played, namespace)), story);
  const isWhole = (played: Played): boolean => likeOneOf(waysOf(story), ours(played)) !== undefined;
  const isAtRest = (): Promise<boolean> => haveNothingInHand(namespace);
  const played = await play(story, { kube, namespace }, { ...PATIENCE, isAtRest, isWhole });
  return { account: ours(played), untrue: untrueIn(played.versions, played.written) };
}

const hostList = z.object({
  items: z.array(z.object({ metadata: z.object({ name: z.string(), uid: z.string(), generation: z.number() }) })),
});

/** True when the workflow of each host has taken in the newest version of the host, and waits for something. */
async function haveNothingInHand(namespace: string): Promise<boolean> {
  const { items } = hostList.parse(await lab.kube.request({ path: collectionPath(KINDS.host, namespace) }));
  const views = await withTemporal(lab, (client) =>
    Promise.all(
      items.map(({ metadata: { name } }) =>
        client.workflow
          .getHandle(hostWorkflowId({ namespace, name }))
          .query(view)
          .catch(() => undefined),
      ),
    ),
  );
  return items.every(({ metadata: { uid, generation } }, index) => {
    const shown = views[index];
    return shown === undefined || (shown.uid === uid && shown.generation === generation && shown.waitingFor !== '');
  });
}

/** The recorded variants of baremetal-operator. */
const waysOf = (story: Story): readonly Account[] =>
  recordings
    .filter(({ story: title }) => title === story.story)
    .map(({ timeline }) => asTemper(comparable(accountOf(timeline), story), story.story));

const likeOneOf = (ways: readonly Account[], ours: Account): Account | undefined =>
  ways.find((way) => isDeepStrictEqual(way, ours));

test.each(stories)(
  '$story: as upstream answers',
  async (story) => {
    const { account: ours } = await toldOf(story);
    const ways = waysOf(story);
    expect(ours).toEqual(likeOneOf(ways, ours) ?? ways[0]);
  },
  3_600_000,
);

test.each(stories)(
  '$story: clients that follow kstatus never go on too early, and end',
  async (story) => expect((await toldOf(story)).untrue).toEqual([]),
  3_600_000,
);

async function toldOf({ story }: Story): Promise<Told> {
  const ours = await told.get(story);
  if (ours === undefined) throw new Error('this story was not told');
  return ours;
}
