import { afterAll, beforeAll, expect, test } from 'vitest';
import { pendingOf } from './support/histories.ts';
import { createHost, editHost, hostIn, hostThat } from './support/hosts.ts';
import type { TestLab } from './support/lab.ts';
import { nodeOf } from './support/metal.ts';
import { joinLab } from './support/place/join.ts';
import { addFault, deploysOf, faultsLeft, forgetRecorded, recorded } from './support/recorded.ts';

/** What Ironic does while nobody looks. */
const DEADLINE_MS = 60_000;
let lab: TestLab;
beforeAll(async () => {
  lab = await joinLab({ machines: 1, temperEnv: { IRONIC_STEP_DEADLINE: `${DEADLINE_MS}` } });
});
afterAll(() => lab?.stop());

let name: string;

test('a deployment that Ironic finishes while no worker runs, long after its deadline, is finished', async () => {
  name = await createHost(lab, 0);
  await hostIn(lab, name, 'available');
  await editHost(lab, name, { image: lab.endpoints.testImage });
  const { status } = await hostIn(lab, name, 'provisioning');
  const node = status.provisioning.ID;
  await expect.poll(() => deploysOf(lab)).toEqual({ [node]: 1 });
  const since = Date.now();
  await lab.kill('workers', 'SIGKILL');

  await expect.poll(async () => (await nodeOf(lab, name)).provision_state).toBe('active');
  await expect.poll(() => Date.now() - since).toBeGreaterThan(DEADLINE_MS);
  await lab.start('workers');

  const { status: after } = await hostIn(lab, name, 'provisioned');
  expect(after).toMatchObject({ errorCount: 0, provisioning: { image: lab.endpoints.testImage } });
  const { provisions } = await recorded(lab);
  expect({ active: provisions['active'], deleted: provisions['deleted'] }).toEqual({ active: { [node]: 1 } });
});

/** Activities of the host that nobody has answered. */
const pending = async (): Promise<readonly string[]> => (await pendingOf(lab, name)).map(({ type }) => type);

test('workers that are asked to stop finish a request, hand over a wait, and none is made twice', async () => {
  await forgetRecorded(lab);
  await addFault(lab, { method: 'PUT', path: 'states/provision$', delayMs: 15_000 });
  const image = { ...lab.endpoints.testImage, url: `${lab.endpoints.testImage.url}?another` };
  await editHost(lab, name, { image });
  await expect.poll(() => faultsLeft(lab)).toBe(0);
  expect((await recorded(lab)).provisions).toEqual({});
  expect(await pending()).toContain('undeployNode');

  // The request is on its way to Ironic.
  await lab.kill('workers', 'SIGTERM');
  const { status } = await hostIn(lab, name, 'deprovisioning');
  const node = status.provisioning.ID;
  expect((await recorded(lab)).provisions).toEqual({ deleted: { [node]: 1 } });
  expect(await pending()).not.toContain('undeployNode');
  await lab.start('workers');

  await expect.poll(() => deploysOf(lab)).toEqual({ [node]: 1 });
  await expect.poll(pending).toContain('waitForNode');
  await lab.kill('workers', 'SIGTERM');
  await lab.start('workers');

  await hostThat(
    lab,
    name,
    'provisioned with the other image',
    (host) => host.status.provisioning.state === 'provisioned' && host.status.provisioning.image?.url === image.url,
  );
  expect((await recorded(lab)).provisions).toEqual({ deleted: { [node]: 1 }, active: { [node]: 1 } });
});
