import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { hardwareDataPath, hostPath } from '../../kube/paths.ts';
import { inspectionReport } from '../../lab/agent/deploy-agent/inventory.ts';
import { bmcAddress } from '../../lab/ironic/ironic-lab.ts';
import { bootMac } from '../../lab/machines/machine.ts';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { keepHistories } from './support/histories.ts';
import { createHost, getHost, hostGone, hostIn, hostThat, kubectl, NAMESPACE } from './support/hosts.ts';
import { aLab, type TestLab } from './support/lab.ts';
import { switchMachine } from './support/metal.ts';
import { createShell, stepsOf } from './support/versions/procedure.ts';

/** Machines of which nobody has told Temper boot the deploy agent, on a real Ironic with auto-discovery. */
const PAGE = 'docs/discovery.md';
const record = recordCommands('test/e2e/discovery.test.ts');
const RETURN_AFTER_S = 20;
let lab: TestLab;
let folder: string;
let run: Awaited<ReturnType<typeof createShell>>;
beforeAll(async () => {
  lab = await aLab({
    discovery: true,
    temperEnv: {
      IRONIC_SWEEP_INTERVAL: '1s',
      DISCOVERY_RETURN_AFTER: `${RETURN_AFTER_S}s`,
      DISCOVERY_LABELS: 'rack=r1',
      DISCOVERY_RULES: 'vendor=temp*,memory>=1',
      DISCOVERY_HOST_NAME: '{vendor}-{mac}',
    },
  });
  folder = await mkdtemp(join(tmpdir(), 'temper-discovery-'));
  run = record.shell(await createShell(folder, lab.endpoints));
});
afterAll(async () => {
  await lab?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

const machine = (index: number) => {
  const found = lab.machines[index];
  if (found === undefined) throw new Error(`the lab has no machine ${index}`);
  return found;
};
const nameOf = (index: number): string => `temper-${bootMac(machine(index)).replaceAll(':', '')}`;

const VERSION = { 'X-OpenStack-Ironic-API-Version': '1.89', 'content-type': 'application/json' };
const node = z.object({
  uuid: z.string(),
  name: z.string().nullable(),
  driver: z.string(),
  provision_state: z.string(),
});
type Node = z.infer<typeof node>;

async function nodes(): Promise<readonly Node[]> {
  const url = `${lab.endpoints.ironicDirect}nodes?fields=uuid,name,driver,provision_state`;
  return z.object({ nodes: z.array(node) }).parse(await (await fetch(url, { headers: VERSION })).json()).nodes;
}

async function portsOf(uuid: string): Promise<readonly string[]> {
  const answer = await fetch(`${lab.endpoints.ironicDirect}nodes/${uuid}/ports`, { headers: VERSION });
  const ports = z.object({ ports: z.array(z.object({ address: z.string() })) }).parse(await answer.json()).ports;
  return ports.map(({ address }) => address).toSorted();
}

const macsOf = (index: number): readonly string[] =>
  machine(index)
    .inventory.nics.map(({ mac }) => mac)
    .toSorted();

async function hostNames(): Promise<readonly string[]> {
  return (await kubectl(lab, ['get', 'bmh', '-o', 'name'])).split('\n').filter((line) => line !== '');
}

const hardwareData = z.object({
  metadata: z.object({ uid: z.string() }),
  spec: z.object({
    hardware: z.object({
      systemVendor: z.object({ manufacturer: z.string(), productName: z.string(), serialNumber: z.string() }),
      cpu: z.object({ arch: z.string(), model: z.string(), count: z.number() }),
      ramMebibytes: z.number(),
      storage: z.array(z.object({ sizeBytes: z.number(), serialNumber: z.string() })),
      nics: z.array(z.object({ mac: z.string() })),
    }),
  }),
});

/** What the HardwareData of a host says. */
async function hardwareOf(name: string) {
  const found = await lab.kube.find(hardwareDataPath({ namespace: NAMESPACE, name }));
  if (found === undefined) return undefined;
  const { metadata, spec } = hardwareData.parse(found);
  const { nics, ...hardware } = spec.hardware;
  return { uid: metadata.uid, macs: [...new Set(nics.map(({ mac }) => mac))].toSorted(), ...hardware };
}

/** What the agent of a machine finds in it, in the words of HardwareData. */
function hardwareIn(index: number) {
  const { system, cpu, ramMiB, disks } = machine(index).inventory;
  return {
    macs: macsOf(index),
    systemVendor: {
      manufacturer: system.manufacturer,
      productName: system.product,
      serialNumber: system.serial,
    },
    cpu: { arch: cpu.architecture, model: cpu.model, count: cpu.count },
    ramMebibytes: ramMiB,
    storage: disks.map(({ bytes, serial }) => ({ sizeBytes: bytes, serialNumber: serial })),
  };
}

/** What an agent sends; also what somebody on its network can make up. */
async function callIronic(index: number, change: object = {}): Promise<number> {
  const report = { ...inspectionReport(machine(index), null), ...change };
  const url = `${lab.endpoints.ironicDirect}continue_inspection`;
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(report) })).status;
}

const variables = (index: number): Record<string, string> => ({
  HOST: nameOf(index),
  BMC_ADDRESS: bmcAddress(machine(index), lab.endpoints),
  BMC_USERNAME: lab.endpoints.bmc.username,
  BMC_PASSWORD: lab.endpoints.bmc.password,
});

describe('an unknown machine that boots the deploy agent', () => {
  let uuid = '';
  let hardwareUid: string | undefined;

  test('becomes an unmanaged host with its hardware, while bridge and workers are killed', async () => {
    const [switchOn, ...more] = await stepsOf(PAGE, 'In the lab');
    expect(more).toEqual([]);
    await run(switchOn ?? '', { REDFISH: lab.endpoints.redfish, MACHINE: machine(0).uuid });
    await expect.poll(async () => (await nodes()).length).toBe(1);
    await Promise.all([lab.kill('bridge', 'SIGKILL'), lab.kill('workers', 'SIGKILL')]);
    await Promise.all([lab.start('bridge'), lab.start('workers')]);

    const host = await hostIn(lab, nameOf(0), 'unmanaged');
    uuid = (await nodes())[0]?.uuid ?? '';
    expect(host.status).toMatchObject({ operationalStatus: 'discovered', provisioning: { ID: uuid } });
    expect(host.spec).toMatchObject({ online: false, bootMACAddress: bootMac(machine(0)) });
    expect(host.spec).not.toHaveProperty('bmc');
    expect(host.metadata).toMatchObject({ labels: { 'temper.metal3.io/discovered': 'true', rack: 'r1' } });
    await expect.poll(() => hardwareOf(nameOf(0))).toMatchObject(hardwareIn(0));
    hardwareUid = (await hardwareOf(nameOf(0)))?.uid;
    await hostThat(lab, nameOf(0), 'shown with its hardware', ({ status }) => 'hardware' in status);
    expect(await kubectl(lab, ['get', 'events', '-o', 'jsonpath={.items[*].reason}'])).toContain('Discovered');
  });

  test('is one host and one node, however often it boots', async () => {
    expect(await callIronic(0)).toBe(404);
    await switchMachine(lab, 0, 'ForceOff');
    await switchMachine(lab, 0, 'On');
    // Two calls at the same moment may both be enrolled.
    const answers = await Promise.all([callIronic(4), callIronic(4)]);
    expect(answers).toContain(202);
    await hostIn(lab, nameOf(4), 'unmanaged');
    await expect.poll(async () => (await nodes()).length).toBe(2);
    expect(await hostNames()).toHaveLength(2);
    await kubectl(lab, ['delete', 'bmh', nameOf(4)]);
    await expect.poll(async () => (await nodes()).map((each) => each.uuid)).toEqual([uuid]);
  });

  test('is enrolled with the driver of its BMC when a person gives it one, by the commands of the documentation', async () => {
    const [find, give, wait, ...more] = await stepsOf(PAGE, 'Give a discovered machine its BMC');
    expect(more).toEqual([]);
    expect(await run(find ?? '', variables(0))).toContain(bootMac(machine(0)));
    await run(give ?? '', variables(0));
    await hostThat(lab, nameOf(0), 'no longer unmanaged', ({ status }) => status.provisioning.state !== 'unmanaged');
    await Promise.all([lab.kill('bridge', 'SIGKILL'), lab.kill('workers', 'SIGKILL')]);
    await Promise.all([lab.start('bridge'), lab.start('workers')]);
    await run(wait ?? '', variables(0));

    expect(await nodes()).toEqual([
      { uuid, name: `${NAMESPACE}~${nameOf(0)}`, driver: 'redfish', provision_state: 'manageable' },
    ]);
    expect(await portsOf(uuid)).toEqual(macsOf(0));
    expect(await hardwareOf(nameOf(0))).toEqual({ uid: hardwareUid, ...hardwareIn(0) });
    expect((await getHost(lab, nameOf(0)))?.status).toMatchObject({ errorCount: 0, provisioning: { ID: uuid } });
    await keepHistories(lab, 'discovered', nameOf(0));
  });

  test('is not touched by forged calls with its MAC address or its hardware', async () => {
    const before = await getHost(lab, nameOf(0));
    expect(await callIronic(0)).toBe(404);
    expect((await nodes()).map((each) => each.uuid)).toEqual([uuid]);
    const after = await getHost(lab, nameOf(0));
    expect(after?.metadata.generation).toBe(before?.metadata.generation);
    expect(after?.status.provisioning).toEqual(before?.status.provisioning);
  });
});

describe('a discovered machine whose host is deleted', () => {
  test('comes back only when it boots again after the interval', async () => {
    await switchMachine(lab, 1, 'On');
    await hostIn(lab, nameOf(1), 'unmanaged');
    const [{ uuid: first } = { uuid: '' }] = (await nodes()).filter(({ name }) => name === null);
    const [remove, ...more] = await stepsOf(PAGE, 'Remove a discovered host');
    expect(more).toEqual([]);
    await run(remove ?? '', variables(1));
    await hostGone(lab, nameOf(1));
    const deletedAt = Date.now();
    expect((await nodes()).map(({ uuid }) => uuid)).not.toContain(first);

    // Each boot within the interval makes a node, which is removed; the first one after it makes a host.
    const removals = async (): Promise<number> =>
      (await readFile(lab.logOf('bridge'), 'utf8')).split('was deleted a short time before the machine booted').length -
      1;
    const isBack = async (): Promise<boolean> => (await getHost(lab, nameOf(1))) !== undefined;
    for (let before = 0; !(await isBack()); before = await removals()) {
      if (Date.now() > deletedAt + 240_000) throw new Error('the machine never came back');
      await switchMachine(lab, 1, 'ForceOff');
      await switchMachine(lab, 1, 'On');
      await expect.poll(async () => (await isBack()) || (await removals()) > before).toBe(true);
    }
    expect(await removals()).toBeGreaterThan(0);
    const created = z
      .object({ metadata: z.object({ creationTimestamp: z.string() }) })
      .parse(await lab.kube.find(hostPath({ namespace: NAMESPACE, name: nameOf(1) }))).metadata.creationTimestamp;
    expect(Date.parse(created)).toBeGreaterThan(deletedAt + (RETURN_AFTER_S - 10) * 1_000);
  });
});

test('a discovered host gives way to the host that a person creates for its machine, which takes its node', async () => {
  await switchMachine(lab, 2, 'On');
  const { status } = await hostIn(lab, nameOf(2), 'unmanaged');
  const mine = await createHost(lab, 2, { online: false });
  await hostGone(lab, nameOf(2));
  const { status: own } = await hostIn(lab, mine, 'available');
  expect(own.provisioning.ID).toBe(status.provisioning.ID);
  expect(await nodes()).toContainEqual({
    uuid: status.provisioning.ID,
    name: `${NAMESPACE}~${mine}`,
    driver: 'redfish',
    provision_state: 'manageable',
  });
});

test('a machine whose inventory Ironic cannot use becomes no host, and its node is removed', async () => {
  const before = await nodes();
  const inventory = { interfaces: [{ name: 'eth0', mac_address: '52:54:00:ff:00:01' }] };
  expect(await callIronic(3, { inventory })).toBe(202);
  const removals = async (): Promise<number> =>
    (await readFile(lab.logOf('bridge'), 'utf8')).split('Ironic could not use its inventory').length - 1;
  await expect.poll(removals).toBe(1);
  await expect.poll(nodes).toEqual(before);
});

test('a machine becomes no host whose MAC address or inventory the allow-list does not name', async () => {
  const before = await hostNames();
  const reported = inspectionReport(machine(3), null)['inventory'] as Readonly<Record<string, object>>;
  const strangers = [
    // By its MAC address, and by the vendor in its inventory.
    { interfaces: [{ name: 'eth0', mac_address: '02:00:00:00:00:01' }], boot: null },
    {
      interfaces: [{ name: 'eth0', mac_address: '52:54:00:ff:00:02' }],
      boot: null,
      system_vendor: { ...reported['system_vendor'], manufacturer: 'Other' },
    },
  ].map((change) => ({ inventory: { ...reported, ...change } }));
  const unnamed = async (): Promise<number> => (await nodes()).filter(({ name }) => name === null).length;
  const known = await unnamed();
  for (const stranger of strangers) expect(await callIronic(3, stranger)).toBe(202);
  // Their nodes stay, and are decided on again.
  await expect.poll(unnamed).toBe(known + 2);
  await switchMachine(lab, 3, 'On');
  await hostIn(lab, nameOf(3), 'unmanaged');
  expect((await hostNames()).length).toBe(before.length + 1);
});
