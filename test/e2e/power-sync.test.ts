import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createHost, hostThat, kubectl } from './support/hosts.ts';
import { aLab, type TestLab } from './support/lab.ts';
import { powerOf, switchMachine } from './support/metal.ts';
import { forgetRecorded, requestsRecorded } from './support/recorded.ts';

/** An Ironic that restores power by itself, which is its default: it then shows no other power in between. */
let lab: TestLab;
beforeAll(async () => {
  lab = await aLab({ machines: 2, powerSync: 5, restoresPower: true, temperEnv: { IRONIC_SWEEP_INTERVAL: '1s' } });
});
afterAll(() => lab?.stop());

const events = z.object({ items: z.array(z.object({ type: z.string(), reason: z.string(), message: z.string() })) });
const eventsOf = async (name: string): Promise<readonly string[]> => {
  const args = ['get', 'events', '--field-selector', `involvedObject.name=${name}`, '-o', 'json'];
  return events
    .parse(JSON.parse(await kubectl(lab, args)))
    .items.map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
};

/** Lists of all nodes that the bridge has got since the recording began. */
const listsOfBridge = async (): Promise<readonly object[]> =>
  (await requestsRecorded(lab)).filter(
    ({ kind, path }) => kind === 'list nodes' && String(path).includes('driver_internal_info'),
  );

test('a server that was switched off at its BMC, and that Ironic switched on again, is told in an Event', async () => {
  const [name] = await Promise.all([
    createHost(lab, 0, { image: lab.endpoints.testImage }),
    createHost(lab, 1, { image: lab.endpoints.testImage }),
  ]);
  for (const host of ['host-0', 'host-1'])
    await hostThat(
      lab,
      host,
      'provisioned and on',
      ({ status }) => status.provisioning.state === 'provisioned' && status.poweredOn,
    );
  // From the second list after the last change of its status on, the bridge knows when Ironic switched the server last.
  await forgetRecorded(lab);
  await expect.poll(async () => (await listsOfBridge()).length).toBeGreaterThan(4);
  expect((await eventsOf(name)).filter((event) => event.includes('PowerDrift'))).toEqual([]);

  await switchMachine(lab, 0, 'ForceOff');

  await expect
    .poll(() => eventsOf(name))
    .toContainEqual(
      expect.stringMatching(
        /^Warning PowerDrift: Ironic switched the server on at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ although nobody had asked for it here: /,
      ),
    );
  expect(await powerOf(lab, 0)).toBe('On');
  const drifts = (await Promise.all(['host-0', 'host-1'].map(eventsOf))).flat();
  expect(drifts.filter((event) => event.includes('PowerDrift'))).toHaveLength(1);
  // No request for each host: all of this is in the lists.
  const kinds = (await requestsRecorded(lab)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind !== 'list nodes')).toEqual([]);
});
