import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { entityWorkflowId } from '../../workflows/messages.ts';
import { atNight } from '../at-night.ts';
import type { TestFixtureLab } from './support/fixture.ts';
import { keepRuns, withTemporal } from './support/histories.ts';
import { hostIn, hostThat, kubectl, NAMESPACE } from './support/hosts.ts';
import { aCluster, aFreeHost, aMachine, aNode, on, patch } from './support/machines.ts';
import { shareFixtureLab } from './support/place/join.ts';
import { failing, steered } from './support/steering.ts';
import { createShell, stepsOf } from './support/versions/procedure.ts';

/** What people ask of machines, of their hosts through them, and of many hosts: with the commands of the page. */
const PAGE = 'docs/steering.md';
const record = recordCommands('test/e2e/steered-machines.test.ts');
let lab: TestFixtureLab;
let folder: string;
let run: (commands: string, machine?: string) => Promise<string>;
beforeAll(async () => {
  lab = await shareFixtureLab();
  folder = await mkdtemp(join(tmpdir(), 'temper-steered-machines-'));
  const shell = record.shell(await createShell(folder, lab.endpoints));
  run = (commands, machine = '') => shell(commands, { namespace: NAMESPACE, machine });
  await aCluster(lab, 'test1');
});
afterAll(async () => {
  await lab?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

const machines = steered(() => lab, 'Metal3Machine');
const hosts = steered(() => lab, 'BareMetalHost');
const PAUSED = 'cluster.x-k8s.io/paused';

describe('a machine with a host', () => {
  const [name, host] = ['steered', 'steered-host'];

  test('is paused and resumed, and its host is steered through it, with the commands of the page', async () => {
    await aFreeHost(lab, host);
    await aMachine(lab, 'test1', name, { spec: on(host) });
    await hostIn(lab, host, 'provisioned');

    const steps = await stepsOf(PAGE, 'With `temper`');
    const [pause = '', ...rest] = (steps.at(-1) ?? '').trim().split('\n');
    expect(await run(pause, name)).toContain(`pause ${NAMESPACE}/${name} by ada: I look at its Node`);
    expect((await machines.annotationsOf(name))[PAUSED]).toBe('paused by ada: I look at its Node');
    await expect.poll(() => machines.waitingFor(name)).toBe('paused by its annotation');

    const printed = await run(rest.join('\n'), name);
    expect(printed).toContain(`quarantine ${NAMESPACE}/${host} by ada for machine ${name}: the fan is loud`);
    expect(printed).toContain('release by ada: new fan');
    expect(await machines.annotationsOf(name)).not.toHaveProperty([PAUSED]);
    expect(await machines.told(name)).toEqual(['pause ada', 'resume ada', 'quarantine ada', 'release ada']);
    const forHost = [`quarantine ada for machine ${name}`, `release ada for machine ${name}`];
    expect(await hosts.told(host)).toEqual(forHost);
    await expect
      .poll(() => machines.eventsOf(name))
      .toEqual(
        expect.arrayContaining([
          'Paused: pause by ada: I look at its Node',
          'Resumed: resume by ada: done',
          'Quarantined: quarantine by ada: the fan is loud',
        ]),
      );
    expect(await hosts.eventsOf(host)).toContain(`Quarantined: quarantine by ada for machine ${name}: the fan is loud`);
  });

  test('is refused what makes no sense, by itself or by its host, with what would', async () => {
    expect(await failing(run(`npx temper resume machine $machine -n $namespace --reason r`, name))).toEqual([
      1,
      expect.stringContaining(`refused: resume ${name}: it is not paused`),
    ]);
    await expect(machines.send(name, 'release')).rejects.toMatchObject({
      cause: {
        message: `release ${name}: host ${host} refuses it: it is not in quarantine: it goes on by itself when something changes`,
      },
    });
    await expect(machines.send(name, 'retry')).rejects.toMatchObject({
      cause: { message: `retry ${name}: nothing has failed: it goes on by itself when something changes` },
    });
    await expect(kubectl(lab, ['annotate', 'metal3machine', name, 'temper/quarantine=loud'])).rejects.toThrow(
      'is for BareMetalHosts: annotate the host of this machine instead',
    );
    expect(await machines.told(name)).toHaveLength(4);
  });

  test('has the commands that it takes in the details of its run, with the last message', async () => {
    await expect.poll(() => machines.detailsOf(name)).toContain('Last message: release by ada: new fan');
    const details = await machines.detailsOf(name);
    expect(details).toContain(`Sent on to host ${host}: abort, quarantine, release, reinspect, power`);
    const pause = /^ *TEMPORAL_ADDRESS=[^\n]+\n[^\n]+\n *--name pause .+$/m.exec(details)?.[0] ?? '';
    expect(await run(pause)).toContain(`pause ${NAMESPACE}/${name} by USER: WHY`);
    await machines.send(name, 'resume');
    const steps = await stepsOf(PAGE, "With Temporal's own tools");
    expect(await run(steps.at(-1) ?? '', name)).toContain(`pause ${NAMESPACE}/${name} by ada: I look at its Node`);
    await expect.poll(async () => (await machines.told(name)).at(-1)).toBe('resume ada');
    expect(await machines.annotationsOf(name)).not.toHaveProperty([PAUSED]);
    await machines.send(name, 'power', { to: 'reboot' });
    await hostThat(
      lab,
      host,
      'rebooted',
      ({ status, metadata }) => status.poweredOn && !('reboot.metal3.io' in metadata.annotations),
    );
    await keepRuns(lab, 'steered', entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name }));
  });
});

test('a host whose run is paused in Temporal takes no message, and the answer says how that ends', async () => {
  const id = `baremetalhost/${NAMESPACE}/steered-host`;
  const { temporalAddress, temporalNamespace } = lab.endpoints;
  const unpause = `TEMPORAL_ADDRESS=${temporalAddress} TEMPORAL_NAMESPACE=${temporalNamespace} temporal workflow unpause --workflow-id ${id}`;
  await run(`temporal workflow pause --workflow-id ${id} --reason 'a look at it'`);
  expect(await failing(run('npx temper quarantine host steered-host -n $namespace --reason r'))).toEqual([
    3,
    expect.stringContaining(`its run is paused in Temporal: ${unpause}`),
  ]);
  await expect(machines.send('steered', 'quarantine')).rejects.toMatchObject({
    cause: { message: `quarantine steered: the run of host steered-host is paused in Temporal: ${unpause}` },
  });
  await run(unpause);
});

test('a deployment is aborted through the machine, and a retry of the machine goes on with it', async () => {
  const [name, host] = ['aborted', 'aborted-host'];
  await aFreeHost(lab, host);
  await aMachine(lab, 'test1', name, { spec: on(host) });
  await hostIn(lab, host, 'provisioning');
  await machines.send(name, 'abort');
  await expect.poll(() => hosts.waitingFor(host)).toContain('parked by an abort, by ada for machine aborted');
  await expect.poll(() => machines.send(name, 'retry').catch(() => '')).toContain(`retry ${NAMESPACE}/${host}`);
  await hostIn(lab, host, 'provisioned');
  expect(await machines.annotationsOf(name)).not.toHaveProperty(['temper/retry']);
});

test('a machine without a host searches again when its annotation asks for it, with the commands of the page', async () => {
  const name = 'waiting';
  await aMachine(lab, 'test1', name, { spec: on('nobody') });
  await expect.poll(() => machines.waitingFor(name)).toContain('waiting for a host');
  await expect(machines.send(name, 'power', { to: 'off' })).rejects.toMatchObject({
    cause: { message: `power ${name}: it has no host yet, so power cannot be forwarded: it waits for a host` },
  });
  const steps = await stepsOf(PAGE, 'With `kubectl`');
  const [retry = '', pause = '', resume = ''] = (steps.at(-1) ?? '').trim().split('\n');
  await run(retry, name);
  await expect
    .poll(() => machines.annotationsOf(name))
    .toEqual(expect.not.objectContaining({ 'temper/retry': expect.anything() as unknown }));
  await expect.poll(() => machines.told(name)).toEqual(['retry']);
  await run(pause, name);
  await expect.poll(() => machines.waitingFor(name)).toBe('paused by its annotation');
  await run(resume, name);
  await expect.poll(() => machines.waitingFor(name)).toContain('waiting for a host');
});

test('the list of runs has the state of a machine that waits, that is made, and that runs', async () => {
  const [name, host] = ['listed', 'listed-host'];
  const id = entityWorkflowId('Metal3Machine', { namespace: NAMESPACE, name });
  const listed = (query: string): Promise<readonly string[]> =>
    withTemporal(lab, async ({ workflow }) => {
      const found: string[] = [];
      const all = `TemperKind = 'Metal3Machine' AND TemperNamespace = '${NAMESPACE}' AND ${query}`;
      for await (const { workflowId } of workflow.list({ query: all })) found.push(workflowId);
      return found;
    });
  await aMachine(lab, 'test1', name, { spec: on(host) });
  await expect.poll(() => listed("TemperState = 'pending' AND TemperWaitsFor = 'host'")).toContain(id);
  const { metadata } = await aFreeHost(lab, host);
  await expect.poll(() => listed("TemperState = 'provisioning' AND TemperWaitsFor = 'hardware'")).toContain(id);
  await hostIn(lab, host, 'provisioned');
  await aNode(lab, name, { 'metal3.io/uuid': metadata.uid });
  await patch(lab, 'machine', name, { status: { nodeRef: { name } } }, '/status');
  await expect.poll(() => listed("TemperState = 'running' AND TemperWaitsFor IS NULL")).toContain(id);
  expect(await listed("TemperState IN ('pending', 'provisioning')")).not.toContain(id);
});

test('a hold puts a rack into quarantine, and its end releases what it held alone', async ({ skip }) => {
  atNight(skip, 'cli/steer/selected.test.ts');
  for (const name of ['rack-a', 'rack-b', 'rack-c']) await aFreeHost(lab, name, { labels: { rack: 'r1' } });
  await hosts.send('rack-b', 'quarantine');
  const steps = await stepsOf(PAGE, 'With `temper`');
  const [hold = '', unhold = ''] = (steps.at(-2) ?? '').trim().split('\n');

  const held = await run(hold);
  expect(held).toContain('rack-b: in quarantine already, by ada: the fan is loud');
  expect(held).toContain('2 done, 0 refused, 0 could not be asked');
  await expect.poll(() => hosts.waitingFor('rack-a')).toContain('hold: power work in rack r1');
  expect(await run(hold)).toContain('rack-a: in quarantine already');
  const spec = { hostSelector: { matchLabels: { rack: 'r1' } } };
  await aMachine(lab, 'test1', 'held-back', { spec });
  await expect.poll(() => machines.waitingFor('held-back')).toContain('3 in quarantine');

  const released = await run(unhold);
  expect(released).toContain('rack-b: stays in quarantine, by ada: the fan is loud');
  expect(released).toContain('2 done, 0 refused, 0 could not be asked');
  expect(await hosts.annotationsOf('rack-b')).toHaveProperty(['temper/quarantine']);
  for (const name of ['rack-a', 'rack-c'])
    expect(await hosts.annotationsOf(name)).not.toHaveProperty(['temper/quarantine']);
  await expect.poll(() => machines.annotationsOf('held-back')).toHaveProperty(['metal3.io/BareMetalHost']);
  expect((await machines.annotationsOf('held-back'))['metal3.io/BareMetalHost']).toMatch(/rack-[ac]$/);
  expect(await failing(run('npx temper hold host -n $namespace --reason r'))).toEqual([2, expect.any(String)]);

  const all = await run('npx temper hold host -n $namespace --all --by ada --reason outage');
  for (const name of ['steered-host', 'rack-a', 'rack-c'])
    expect(all).toContain(`quarantine ${NAMESPACE}/${name} by ada: hold: outage`);
  expect(await run('npx temper unhold host -n $namespace --all --by ada --reason over')).toContain('0 refused');
  expect(await hosts.annotationsOf('steered-host')).not.toHaveProperty(['temper/quarantine']);
});
