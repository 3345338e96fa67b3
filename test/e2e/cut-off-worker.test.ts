import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ScriptedIronic, scriptIronic } from '../builders/scripted-ironic.ts';
import { apply, fakeHostManifest, secret } from './support/hosts.ts';
import type { TestLab } from './support/lab.ts';
import { list } from './support/machines.ts';
import { joinLab } from './support/place/join.ts';
import { ROOT } from './support/start.ts';
import { startWorkers, type Workers } from './support/versions/release.ts';

const HOSTS = 40;
const names = Array.from({ length: HOSTS }, (_, index) => `host-${index}`);
let lab: TestLab;
/** What the second worker takes for Ironic. */
let nothing: ScriptedIronic;
let cutOff: Workers | undefined;

beforeAll(async () => {
  nothing = await scriptIronic('cut');
  lab = await joinLab({ machines: 1, temperEnv: { PROVISIONING_LIMIT: String(HOSTS) } });
  await apply(lab, secret('fake-bmc', { username: 'nobody', password: 'nothing' }));
  cutOff = await startWorkers(ROOT, lab.endpoints, {
    PROVISIONER: 'ironic',
    IRONIC_ENDPOINT: nothing.endpoint,
    IRONIC_PATIENCE: '1m',
    DEPLOY_ISO_URL: lab.endpoints.deployIso,
    TEMPER_LAB: 'true',
  });
});
afterAll(async () => {
  await cutOff?.stop();
  await lab?.stop();
  await nothing?.close();
});

const provisioned = async (): Promise<number> =>
  (await list(lab, 'host')).filter(
    ({ status }) => (status['provisioning'] as { readonly state?: string } | undefined)?.state === 'provisioned',
  ).length;

test('of two workers, one that can not reach Ironic keeps none of 40 hosts from being provisioned', async () => {
  // Each of them has its part of the tasks.
  await apply(lab, ...names.map((name) => fakeHostManifest(name, { online: true, image: lab.endpoints.testImage })));
  await expect.poll(() => nothing.requests.length).toBeGreaterThan(0);
  await expect
    .poll(async () => (await cutOff?.readiness())?.text)
    .toMatch(/^no tasks that need Ironic are taken: no list of Ironic's nodes for \d+ minutes: /m);
  await expect.poll(provisioned, { timeout: 1_800_000 }).toBe(HOSTS);
  expect((await cutOff?.readiness())?.status).toBe(503);
}, 2_400_000);
