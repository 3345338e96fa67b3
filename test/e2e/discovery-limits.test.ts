import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inspectionReport } from '../../lab/agent/deploy-agent/inventory.ts';
import { hostGone, kubectl } from './support/hosts.ts';
import { aLab, type TestLab } from './support/lab.ts';

/** Which of many machines that call a real Ironic become hosts: by the addresses of their BMCs, and how many. */

let lab: TestLab;
beforeAll(async () => {
  lab = await aLab({
    discovery: true,
    machines: 1,
    temperEnv: {
      IRONIC_SWEEP_INTERVAL: '1s',
      DISCOVERY_MAC_PREFIXES: '*',
      DISCOVERY_BMC_NETWORKS: '10.20.0.0/16',
      DISCOVERY_HOST_NAME: '{mac}',
      DISCOVERY_LIMIT: '2',
      DISCOVERY_MAX_HOSTS: '3',
    },
  });
});
afterAll(() => lab?.stop());

/** The deploy agent on a machine calls; returns the name that its host would have. */
async function call(number: number, bmcAddress: string | null): Promise<string> {
  const mac = `02:00:00:00:00:0${number}`;
  const [any] = lab.machines;
  if (any === undefined) throw new Error('the lab has no machine');
  const report = inspectionReport(any, null);
  const inventory = {
    ...(report['inventory'] as object),
    interfaces: [{ name: 'eth0', mac_address: mac }],
    boot: { current_boot_mode: 'uefi', pxe_interface: mac },
    bmc_address: bmcAddress,
  };
  const answer = await fetch(`${lab.endpoints.ironicDirect}continue_inspection`, {
    method: 'POST',
    headers: { 'X-OpenStack-Ironic-API-Version': '1.89', 'content-type': 'application/json' },
    body: JSON.stringify({ ...report, boot_interface: mac, inventory }),
  });
  expect(answer.status).toBe(202);
  return mac.replaceAll(':', '');
}

const hosts = async (): Promise<readonly string[]> =>
  (await kubectl(lab, ['get', 'bmh', '-o', 'jsonpath={.items[*].metadata.name}'])).split(' ').filter(Boolean);
const logged = (reason: string) =>
  expect.poll(async () => (await readFile(lab.logOf('bridge'), 'utf8')).includes(reason));

test('a machine becomes no host when its BMC is in none of the networks, or not known', async () => {
  await call(1, '192.0.2.1');
  await call(2, null);
  await logged('its BMC address 192.0.2.1 is not in the allow-list').toBe(true);
  await logged('its BMC address (none) is not in the allow-list').toBe(true);
  expect(await hosts()).toEqual([]);
});

test('of machines that call at once no more become hosts than the limits say, and the next follows when there is room', async () => {
  const names = await Promise.all([3, 4, 5, 6].map((number) => call(number, `10.20.0.${number}`)));
  await expect.poll(async () => (await hosts()).length).toBeGreaterThanOrEqual(2);
  await logged('the limit of 2 new hosts a minute is reached').toBe(true);
  await logged('3 discovered hosts wait for BMC details').toBe(true);
  const first = await hosts();
  expect(first).toHaveLength(3);

  const [leaving = ''] = first;
  await kubectl(lab, ['delete', 'bmh', leaving]);
  await hostGone(lab, leaving);
  await expect
    .poll(async () => (await hosts()).toSorted())
    .toEqual(names.filter((name) => name !== leaving).toSorted());
});
