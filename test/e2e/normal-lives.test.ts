import PQueue from 'p-queue';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { collectionPath, hostPath } from '../../kube/paths.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { apply, editHost, hostGone, hostIn, inspectedByOthers, NAMESPACE } from './support/hosts.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { QUICK_FIXTURE } from './support/place/quick-fixture.ts';

const LIVES = 500;
const MODELS = Array.from({ length: 8 }, (_, index) => ({ manufacturer: 'Example', productName: `Model ${index}` }));
/** Hosts that are alive at the same time. */
const AT_ONCE = 25;

let lab: TestFixtureLab;
beforeAll(async () => {
  lab = await joinFixtureLab({ temperEnv: QUICK_FIXTURE });
});
afterAll(() => lab?.stop());

async function live(index: number): Promise<void> {
  const name = `life-${index}`;
  const systemVendor = MODELS[index % MODELS.length];
  await apply(lab, fixtureSecret(name), fixtureHost(name, { image: IMAGE }, inspectedByOthers({ systemVendor })));
  await hostIn(lab, name, 'provisioned');
  await editHost(lab, name, { image: null });
  await hostIn(lab, name, 'available');
  await lab.kube.request({ method: 'DELETE', path: hostPath({ namespace: NAMESPACE, name }) });
  await hostGone(lab, name);
}

/** How often hosts of each model have passed the state, as the bridge has measured it. */
async function passesOf(state: string): Promise<readonly number[]> {
  const text = await (await fetch(lab.endpoints.bridgeMetrics ?? '')).text();
  const lines = text.split('\n').filter((line) => line.startsWith('temper_state_duration_seconds_count{'));
  return MODELS.map(({ manufacturer, productName }) => {
    const labels = [`state="${state}"`, `model="${manufacturer} ${productName}"`];
    const line = lines.find((each) => labels.every((label) => each.includes(label)));
    return Number(line?.split(' ').at(-1) ?? 0);
  });
}

/** A condition `Stuck` goes, its Event stays. */
async function reasonsOfEvents(): Promise<ReadonlySet<string>> {
  const path = collectionPath({ apiVersion: 'v1', plural: 'events' }, NAMESPACE);
  const { items } = (await lab.kube.request({ path })) as { readonly items: readonly { readonly reason: string }[] };
  return new Set(items.map(({ reason }) => reason));
}

test(`${LIVES} normal lives on ${MODELS.length} models raise no alarm, and teach how long each state takes on each model`, async () => {
  const queue = new PQueue({ concurrency: AT_ONCE });
  await queue.addAll(Array.from({ length: LIVES }, (_, index) => () => live(index)));
  for (const state of ['provisioning', 'deprovisioning']) {
    const passes = await passesOf(state);
    expect(passes).toHaveLength(MODELS.length);
    expect(passes.reduce((sum, count) => sum + count, 0)).toBe(LIVES);
  }
  const reasons = await reasonsOfEvents();
  expect(reasons).toContain('ProvisioningComplete');
  expect(reasons).not.toContain('HostStuck');
}, 3_600_000);
