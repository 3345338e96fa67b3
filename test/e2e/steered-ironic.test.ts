import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hostWorkflowId, view } from '../../workflows/messages.ts';
import { withTemporal } from './support/histories.ts';
import { createHost, editHost, getHost, type Host, hostIn, hostThat, kubectl, NAMESPACE } from './support/hosts.ts';
import { serveClusterApi } from './support/kinds.ts';
import type { TestLab } from './support/lab.ts';
import { aCluster, aMachine, expectGone, expectToShow, get, PATIENCE, remove } from './support/machines.ts';
import { letFail, machineOf, powerOf } from './support/metal.ts';
import { joinLab } from './support/place/join.ts';
import { deploysOf, powerAskedOf, recorded, requestsRecorded } from './support/recorded.ts';
import { steered } from './support/steering.ts';
import { createShell, stepsOf } from './support/versions/procedure.ts';
import { seenOff } from './support/watch.ts';

/** What people ask of a rack, of machines and of a host in a backoff, on real Ironic, with the commands of the page. */
const PAGE = 'docs/steering.md';
const RACK = [0, 1] as const;
let lab: TestLab;
let folder: string;
let run: (commands: string) => Promise<string>;
beforeAll(async () => {
  lab = await joinLab({ machines: 3 });
  folder = await mkdtemp(join(tmpdir(), 'temper-steered-ironic-'));
  const shell = await createShell(folder, lab.endpoints);
  run = (commands) => shell(commands, { namespace: NAMESPACE, machine: MACHINE });
  await serveClusterApi(lab.kube);
  await aCluster(lab, 'test1');
  for (const index of RACK) await createHost(lab, index);
  for (const index of RACK) await kubectl(lab, ['label', 'bmh', `host-${index}`, 'rack=r1']);
  for (const index of RACK) await hostIn(lab, `host-${index}`, 'available');
});
afterAll(async () => {
  await lab?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

const MACHINE = 'in-rack';
const machines = steered(() => lab, 'Metal3Machine');
const hosts = steered(() => lab, 'BareMetalHost');
const isOn = ({ status }: Host): boolean => status.poweredOn;
const idOf = async (name: string): Promise<string> => (await getHost(lab, name))?.status.provisioning.ID ?? '';
const viewOf = (name: string) =>
  withTemporal(lab, ({ workflow }) => workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name })).query(view));
/** The generation of the host that its run has taken in. */
const generationTaken = async (name: string): Promise<number | undefined> => (await viewOf(name))?.generation;
/** The host that the machine has; '' while it has none. */
const hostOf = async (): Promise<string> =>
  (await machines.annotationsOf(MACHINE))['metal3.io/BareMetalHost']?.split('/')[1] ?? '';

test('a held rack gives no host to a machine, nothing is asked of Ironic for it, and its end lets the machine go on', async () => {
  const steps = await stepsOf(PAGE, 'With `temper`');
  const [hold = '', unhold = ''] = (steps.at(-2) ?? '').trim().split('\n');
  expect(await run(hold)).toContain('2 done, 0 refused, 0 could not be asked');
  const asked = async (): Promise<readonly unknown[]> => {
    const { provisions } = await recorded(lab);
    return [provisions, ...(await Promise.all(RACK.map(async (at) => powerAskedOf(lab, await idOf(`host-${at}`)))))];
  };
  const before = await asked();

  const image = { ...lab.endpoints.testImage, diskFormat: 'raw' };
  await aMachine(lab, 'test1', MACHINE, { spec: { image, hostSelector: { matchLabels: { rack: 'r1' } } } });
  await expect.poll(() => machines.waitingFor(MACHINE), PATIENCE).toContain('2 in quarantine');
  for (const index of RACK)
    expect(await hosts.waitingFor(`host-${index}`)).toMatch(/^in quarantine, by .*: hold: power work in rack r1/);
  // A user's own changes wait, too.
  await editHost(lab, 'host-0', { online: false });
  const { metadata } = (await getHost(lab, 'host-0')) ?? {};
  await expect.poll(() => generationTaken('host-0'), PATIENCE).toBe(metadata?.generation);
  expect(await hosts.waitingFor('host-0')).toContain('hold: power work in rack r1');
  expect(await asked()).toEqual(before);

  await editHost(lab, 'host-0', { online: true });
  expect(await run(unhold)).toContain('2 done, 0 refused, 0 could not be asked');
  await expect.poll(hostOf, PATIENCE).toMatch(/^host-[01]$/);
  await hostIn(lab, await hostOf(), 'provisioned');
  expect(await deploysOf(lab)).toEqual({ [await idOf(await hostOf())]: 1 });
});

test('a machine is paused and resumed, and its host is steered through it, with the commands of the page', async () => {
  const host = await hostOf();
  const index = Number(host.slice(-1));
  const steps = await stepsOf(PAGE, 'With `temper`');
  const [pause = '', ...rest] = (steps.at(-1) ?? '').trim().split('\n');
  expect(await run(pause)).toContain(`pause ${NAMESPACE}/${MACHINE} by ada: I look at its Node`);
  await expect.poll(() => machines.waitingFor(MACHINE), PATIENCE).toBe('paused by its annotation');
  expect(await run(rest.join('\n'))).toContain(`quarantine ${NAMESPACE}/${host} by ada for machine ${MACHINE}`);

  await hostThat(lab, host, 'on', isOn);
  const id = await idOf(host);
  const asked = await powerAskedOf(lab, id);
  await expect(machines.send(MACHINE, 'power', { to: 'off' })).rejects.toMatchObject({
    cause: {
      message: expect.stringContaining(
        `its Metal3Machine ${MACHINE} switches it on again: kubectl annotate`,
      ) as unknown,
    },
  });
  await seenOff(lab.kube, host, () => machines.send(MACHINE, 'power', { to: 'reboot' }));
  await hostThat(lab, host, 'on', isOn);
  expect(await powerOf(lab, index)).toBe('On');
  expect((await powerAskedOf(lab, id)).slice(asked.length)).toEqual(['soft power off', 'power on']);
  expect(await hosts.told(host)).toContain(`power reboot ada for machine ${MACHINE}`);
});

test('a machine that is deleted while its host is in quarantine waits, and its host is wiped after the release', async () => {
  const host = await hostOf();
  const index = Number(host.slice(-1));
  const { image } = (await machineOf(lab, index)).disk;
  await machines.send(MACHINE, 'quarantine');
  await remove(lab, 'metal3Machine', MACHINE);
  await remove(lab, 'machine', MACHINE);
  await expect.poll(() => hosts.waitingFor(host), PATIENCE).toContain('in quarantine, by ada');
  await expect.poll(async () => (await getHost(lab, host))?.spec['image'], PATIENCE).toBeUndefined();
  expect((await machineOf(lab, index)).disk).toMatchObject({ image });
  expect(await get(lab, 'metal3Machine', MACHINE)).toBeDefined();
  await hosts.send(host, 'release');
  await expectGone(lab, 'metal3Machine', MACHINE);
  await hostIn(lab, host, 'available');
  expect((await machineOf(lab, index)).disk).toMatchObject({ image: null });
  await expectToShow(lab, 'host', host, {
    metadata: { annotations: expect.not.objectContaining({ 'temper/quarantine': '' }) as unknown },
  });
});

test('a retry ends the backoff after a failed deployment, and the next one succeeds', async () => {
  const name = await createHost(lab, 2);
  await hostIn(lab, name, 'available');
  await letFail(lab, 2, { kind: 'deploy-step', step: 'write_image', message: 'the disk is on fire', times: 1 });
  await editHost(lab, name, { image: lab.endpoints.testImage });
  const failed = await hostThat(lab, name, 'in error', ({ status }) => status.errorType === 'provisioning error');
  const id = failed.status.provisioning.ID;
  const deadline = Date.parse((await viewOf(name))?.until ?? '');
  const sent = Date.now();
  expect(await hosts.send(name, 'retry')).toBe(`retry ${NAMESPACE}/${name} by ada: the fan is loud`);
  await hostIn(lab, name, 'provisioned');
  // Its failed deployment is taken off before it would have been without the message.
  const takenOff = (await requestsRecorded(lab)).find(({ node, target }) => node === id && target === 'deleted');
  expect(Date.parse(takenOff?.at ?? '')).toBeGreaterThanOrEqual(sent);
  expect(Date.parse(takenOff?.at ?? '')).toBeLessThan(deadline);
  expect((await deploysOf(lab))[id]).toBe(2);
  expect(await hosts.told(name)).toEqual(['retry ada']);
  await expect(hosts.send(name, 'retry')).rejects.toMatchObject({
    cause: {
      message: `retry ${name}: nothing has failed (it is provisioned): it goes on by itself when something changes`,
    },
  });
  await kubectl(lab, ['annotate', 'bmh', name, 'temper/retry=again']);
  await expect
    .poll(() => hosts.eventsOf(name), PATIENCE)
    .toContain(
      'SteeringRefused: retry by an annotation: again; refused: nothing has failed (it is provisioned): it goes on by itself when something changes',
    );
});
