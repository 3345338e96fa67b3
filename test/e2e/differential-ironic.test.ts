import { afterAll, beforeAll, expect, test } from 'vitest';
import { bmcAddress } from '../../lab/ironic/ironic-lab.ts';
import { bootMac } from '../../lab/machines/machine.ts';
import { accountOf } from '../differential/baremetal-operator/account.ts';
import { play } from '../differential/baremetal-operator/play.ts';
import { readRecordings } from '../differential/baremetal-operator/recordings.ts';
import { readStories, type Story } from '../differential/baremetal-operator/story.ts';
import { timelineOf } from '../differential/baremetal-operator/timeline.ts';
import { untrueIn } from '../kstatus/untrue.ts';
import type { TestLab } from './support/lab.ts';
import { joinLab } from './support/place/join.ts';
import { NAMESPACE } from './support/place/namespace.ts';

/** The main stories with real Ironic: hosts have the same states and power as with baremetal-operator. */
const MAIN = [
  'an available host is given an image',
  'a provisioned host is given another image',
  'the image of a provisioned host is removed',
  'a host that shall be off gets its image when it shall be on',
  'a provisioned host is deleted',
  'an externally provisioned host with an image no longer is',
  'a host is not inspected when its specification says so',
  'a host is claimed by a consumer and given up',
];

const stories = readStories().filter(({ story }) => MAIN.includes(story));
const { recordings } = readRecordings();
let lab: TestLab;
const told = new Map<string, ReturnType<typeof tell>>();

beforeAll(async () => {
  lab = await joinLab({ machines: stories.length, namespaces: stories.map((_, index) => namespaceOf(index)) });
  const otherImage = await imageAt(`${lab.endpoints.images}/other-2MiB.raw`);
  for (const [index, story] of stories.entries()) {
    const account = tell(story, index, [lab.endpoints.testImage, otherImage]);
    account.catch(() => undefined);
    told.set(story.story, account);
  }
});
afterAll(() => lab?.stop());

async function imageAt(url: string): Promise<object> {
  const checksum = (await (await fetch(`${url}.sha256`)).text()).split(' ')[0];
  return { url, checksum, checksumType: 'sha256' };
}

const namespaceOf = (story: number): string => `${NAMESPACE}-${story}`;

/** Each story uses a machine of its own; the two images of the stories are replaced by images of the lab. */
async function tell(story: Story, index: number, [first, second]: readonly [object, object]) {
  const { kube, endpoints, machines } = lab;
  const namespace = namespaceOf(index);
  const machine = machines[index];
  if (machine === undefined) throw new Error(`there is no machine for "${story.story}"`);
  const address = bmcAddress(machine, endpoints);
  const adapt = ({ bmc, bootMACAddress, image, ...spec }: Readonly<Record<string, unknown>>) => ({
    ...spec,
    ...(bmc !== undefined && { bmc: { ...(bmc as object), address } }),
    ...(bootMACAddress !== undefined && { bootMACAddress: bootMac(machine) }),
    ...(image !== undefined && { image: image === null ? null : isSecond(image) ? second : first }),
  });
  const stage = { kube, namespace, adapt, login: endpoints.bmc };
  const played = await play(story, stage, { quietMs: 6_000, patienceMs: 240_000 });
  const untrue = untrueIn(played.versions, played.written);
  return { account: accountOf(timelineOf(played, namespace)), untrue };
}

const isSecond = (image: unknown): boolean => JSON.stringify(image).includes('/b.qcow2');

test.each(stories)('$story: through the states upstream goes through', async ({ story }) => {
  const upstream = recordings
    .filter((recording) => recording.story === story)
    .map(({ timeline }) => accountOf(timeline));
  const ours = (await told.get(story))?.account;
  expect(upstream.map(({ states }) => states)).toContainEqual(ours?.states);
  expect(upstream.map(({ operationalStatus }) => operationalStatus.at(-1))).toContainEqual(
    ours?.operationalStatus.at(-1),
  );
  expect(upstream.map(({ errors }) => errors)).toContainEqual(ours?.errors);
});

test.each(stories)('$story: clients that follow kstatus never go on too early, and end', async ({ story }) => {
  expect((await told.get(story))?.untrue).toEqual([]);
});
