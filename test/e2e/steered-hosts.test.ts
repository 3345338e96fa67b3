import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { optionalTsToDate } from '@temporalio/common/lib/time.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resultsOf } from '../../domain/host/results/results.ts';
import { historyOf } from '../../domain/steering/history.ts';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { hostWorkflowId, STEERING_MESSAGES, view } from '../../workflows/messages.ts';
import { atNight } from '../at-night.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { keepRuns, type Run, withTemporal } from './support/histories.ts';
import { apply, editHost, getHost, hostGone, hostIn, hostThat, kubectl, NAMESPACE } from './support/hosts.ts';
import { aCluster, aMachine, on } from './support/machines.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { failing, steered } from './support/steering.ts';
import { createShell, stepsOf } from './support/versions/procedure.ts';

/** What people ask of hosts: with the commands of the page, with messages, and with annotations. */
const PAGE = 'docs/steering.md';
const record = recordCommands('test/e2e/steered-hosts.test.ts');
let lab: TestFixtureLab;
let folder: string;
let run: (commands: string, host: string) => Promise<string>;
beforeAll(async () => {
  lab = await joinFixtureLab();
  await aCluster(lab, 'test1');
  folder = await mkdtemp(join(tmpdir(), 'temper-steered-'));
  const shell = record.shell(await createShell(folder, lab.endpoints));
  run = (commands, host) => shell(commands, { namespace: NAMESPACE, host });
});
afterAll(async () => {
  await lab?.stop();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

async function create(name: string, spec = {}, annotations = {}, labels = {}): Promise<void> {
  const host = fixtureHost(name, spec, annotations) as { readonly metadata: object };
  await apply(lab, fixtureSecret(name), { ...host, metadata: { ...host.metadata, labels } });
}
const annotate = (name: string, ...changes: readonly string[]): Promise<string> =>
  kubectl(lab, ['annotate', '--overwrite', 'bmh', name, ...changes]);
const { annotationsOf, told, waitingFor, detailsOf, send, eventsOf } = steered(() => lab, 'BareMetalHost');
const machines = steered(() => lab, 'Metal3Machine');
const QUARANTINED = 'in quarantine, by ada: the fan is loud; release ends that';
/** The generation of the host that its run has taken in. */
const generationTaken = (name: string): Promise<number | undefined> =>
  withTemporal(lab, async ({ workflow }) => {
    const shown = await workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name })).query(view);
    return shown?.generation;
  });
/** When the run of the host has accepted messages (1), and when it has answered them (-1). */
const timesOfUpdates = (name: string): Promise<readonly (readonly [number, 1 | -1])[]> =>
  withTemporal(lab, async ({ workflow }) => {
    const { events } = await workflow.getHandle(hostWorkflowId({ namespace: NAMESPACE, name })).fetchHistory();
    return (events ?? []).flatMap((event): (readonly [number, 1 | -1])[] => {
      const at = Number(optionalTsToDate(event.eventTime));
      if (event.workflowExecutionUpdateAcceptedEventAttributes) return [[at, 1]];
      return event.workflowExecutionUpdateCompletedEventAttributes ? [[at, -1]] : [];
    });
  });
const isHostOrDeployment = ({ type }: Run): boolean => type === 'hostWorkflow' || type === 'provisionWorkflow';

describe(`the commands of ${PAGE}`, () => {
  const name = 'steered';

  test('of temper: a quarantine holds until it is released, and is told on the host', async () => {
    await create(name, {}, {}, { rack: 'r1' });
    await hostIn(lab, name, 'available');
    const [quarantine, rack, power] = await stepsOf(PAGE, 'With `temper`');
    const printed = await run(quarantine ?? '', name);
    expect(printed).toContain(`quarantine ${NAMESPACE}/${name} by ada: the fan is loud`);
    expect(printed).toContain('quarantine by ada: the fan is loud (holds)');
    expect(await told(name)).toEqual(['quarantine ada', 'release ada']);
    expect(await annotationsOf(name)).not.toHaveProperty('temper/quarantine');
    await expect
      .poll(() => eventsOf(name))
      .toEqual(
        expect.arrayContaining([
          'Quarantined: quarantine by ada: the fan is loud',
          'Released: release by ada: new fan',
        ]),
      );

    await create('steered-2', {}, {}, { rack: 'r1' });
    await hostIn(lab, 'steered-2', 'available');
    expect(await run(rack ?? '', name)).toContain('2 done, 0 refused, 0 could not be asked');
    expect(await annotationsOf('steered-2')).not.toHaveProperty('baremetalhost.metal3.io/paused');

    // One that refuses keeps the others from nothing.
    await send('steered-2', 'pause');
    const [code, mixed] = await failing(
      run('npx temper resume host -n $namespace -l rack=r1 --by ada --reason r', name),
    );
    expect(code).toBe(1);
    expect(mixed).toContain(`refused: resume ${name}: it is neither paused nor parked by an abort`);
    expect(mixed).toContain(`resume ${NAMESPACE}/steered-2 by ada: r`);
    expect(mixed).toMatch(/^1 of 2$[^]*^2 of 2$[^]*^1 done, 1 refused, 0 could not be asked$/m);

    await hostThat(lab, name, 'on', ({ status }) => status.poweredOn);
    await run(power ?? '', name);
    expect(
      historyOf(await annotationsOf(name))
        .map(({ what }) => what)
        .slice(-2),
    ).toEqual(['power off', 'power on']);
  });

  test('of temper end with the code that the page says', async () => {
    expect(await failing(run(`npx temper resume host $host -n $namespace --reason r`, name))).toEqual([
      1,
      expect.stringContaining(`refused: resume ${name}: it is neither paused nor parked by an abort`),
    ]);
    expect((await failing(run(`npx temper quarantine host $host -n $namespace`, name)))[0]).toBe(2);
    expect((await failing(run(`npx temper quarantine host -n $namespace -l rack=none --reason r`, name)))[0]).toBe(2);
    expect(await failing(run(`npx temper quarantine host nobody -n $namespace --reason r`, name))).toEqual([
      3,
      expect.stringContaining('it has no run in Temporal'),
    ]);
  });

  test('of kubectl do the same, and are told as well', async () => {
    const [quarantine, abort, pause, remove] = await stepsOf(PAGE, 'With `kubectl`');
    const [set = '', unset = ''] = (quarantine ?? '').trim().split('\n');
    await run(set, name);
    await expect
      .poll(() => waitingFor(name))
      .toBe('in quarantine, by an annotation: the fan is loud; release ends that');
    await run(unset, name);
    await expect.poll(async () => (await told(name)).slice(-2)).toEqual(['quarantine', 'release']);

    const [stop = '', retry = ''] = (abort ?? '').trim().split('\n');
    await editHost(lab, name, { image: IMAGE });
    await hostIn(lab, name, 'provisioning');
    await run(stop, name);
    await expect.poll(() => waitingFor(name)).toContain('parked by an abort, by an annotation: wrong image');
    await run(retry, name);
    await hostIn(lab, name, 'provisioned');
    await expect.poll(() => annotationsOf(name)).not.toHaveProperty('temper/retry');
    expect(await annotationsOf(name)).not.toHaveProperty('temper/abort');

    await run(pause ?? '', name);
    // Otherwise it may be gone before it is forced to.
    await annotate('steered-2', 'temper/fixture-fail=delete');
    await run(remove ?? '', 'steered-2');
    expect(await getHost(lab, 'steered-2')).toBeUndefined();
  });

  test('of kubectl are refused with the reason of the message, and leave nothing that acts later', async () => {
    const why = `nothing is in flight that could be aborted (it is provisioned): quarantine keeps anything from being begun`;
    await expect(send(name, 'abort')).rejects.toMatchObject({ cause: { message: `abort ${name}: ${why}` } });
    await annotate(name, 'temper/abort=wrong image', `temper/force-delete=${name}`);
    await expect
      .poll(() => eventsOf(name))
      .toEqual(
        expect.arrayContaining([
          `SteeringRefused: abort by an annotation: wrong image; refused: ${why}`,
          `SteeringRefused: forceDelete by an annotation: ${name}; refused: it is not being deleted: kubectl delete bmh ${name} comes first`,
        ]),
      );
    const annotations = await annotationsOf(name);
    for (const key of ['temper/abort', 'temper/force-delete']) expect(annotations).not.toHaveProperty([key]);
    expect(await run('npx temper history host $host -n $namespace --objects-only', name)).toContain(
      `abort by an annotation: wrong image; refused: ${why}`,
    );
    expect(await waitingFor(name)).toBe('provisioned as desired');
  });

  test('of Temporal answer, and those in the run’s details are ready to copy', async () => {
    const [updates, signals] = await stepsOf(PAGE, "With Temporal's own tools");
    expect(await run(updates ?? '', name)).toContain(`power off ${NAMESPACE}/${name} by ada: saves energy`);
    await run(signals ?? '', name);
    await expect
      .poll(async () => (await annotationsOf(name))['baremetalhost.metal3.io/paused'])
      .toBe('paused by ada: power work');
    await expect.poll(() => detailsOf(name)).toContain('--name resume');
    const details = await detailsOf(name);
    expect(details).toContain('Last message: pause by ada: power work');
    const resume = /^ *TEMPORAL_ADDRESS=[^\n]+\n[^\n]+\n *--name resume .+$/m.exec(details)?.[0] ?? '';
    expect(await run(resume, name)).toContain(`resume ${NAMESPACE}/${name} by USER: WHY`);
    expect(await annotationsOf(name)).not.toHaveProperty('baremetalhost.metal3.io/paused');
    await keepRuns(lab, 'steered', hostWorkflowId({ namespace: NAMESPACE, name }), isHostOrDeployment);
  });
});

describe.concurrent('a quarantine during a deployment', () => {
  test('lets it end, begins nothing after it, keeps machines away, and lets the host go on when it is released', async ({
    expect,
    skip,
  }) => {
    atNight(skip, 'domain/host/steering/held-back.test.ts');
    const name = 'in-deployment';
    await create(name, { image: IMAGE }, {}, { for: name });
    await hostIn(lab, name, 'provisioning');
    await send(name, 'quarantine');
    expect((await getHost(lab, name))?.status.provisioning.state).toBe('provisioning');
    const ended = await hostIn(lab, name, 'provisioned');
    expect(ended.metadata.annotations).toHaveProperty(['temper/quarantine']);
    await expect
      .poll(async () => resultsOf(await annotationsOf(name)))
      .toContainEqual(expect.objectContaining({ what: 'provision', result: 'done' }));

    await editHost(lab, name, { image: null });
    const { metadata } = (await getHost(lab, name)) ?? {};
    await expect.poll(() => generationTaken(name)).toBe(metadata?.generation);
    await aMachine(lab, 'test1', name, { spec: on(name) });
    await expect.poll(() => machines.waitingFor(name)).toContain('1 in quarantine');
    expect(await waitingFor(name)).toBe(QUARANTINED);
    expect((await getHost(lab, name))?.status.provisioning).toMatchObject({ state: 'provisioned', image: IMAGE });

    await send(name, 'release');
    await hostIn(lab, name, 'deprovisioning');
    await expect.poll(() => machines.annotationsOf(name)).toHaveProperty(['metal3.io/BareMetalHost']);
  });

  test('ends it where an abort is asked for too, and the host goes on when both are taken back', async ({
    expect,
    skip,
  }) => {
    atNight(skip, 'domain/host/steering/held-back.test.ts');
    const name = 'stopped';
    await create(name, { image: IMAGE });
    await hostIn(lab, name, 'provisioning');
    await send(name, 'quarantine');
    await send(name, 'abort');
    await expect
      .poll(() => waitingFor(name))
      .toBe(`${QUARANTINED}; parked by an abort, by ada: the fan is loud; resume or retry goes on`);
    await send(name, 'resume');
    await expect.poll(() => waitingFor(name)).toBe(QUARANTINED);
    expect((await getHost(lab, name))?.status.provisioning.state).toBe('provisioning');
    expect(resultsOf(await annotationsOf(name))).not.toContainEqual(
      expect.objectContaining({ what: 'provision', result: 'done' }),
    );
    await send(name, 'release');
    await hostIn(lab, name, 'provisioned');
    expect(await told(name)).toEqual(['quarantine ada', 'abort ada', 'resume ada', 'release ada']);
  });
});

test('a hold asks no more hosts at once than it is told to, and names each that refuses or can not be asked', async ({
  skip,
}) => {
  atNight(skip, 'cli/steer/ask-all.test.ts');
  const names = [1, 2, 3, 4, 5].map((number) => `rack-${number}`);
  for (const name of names) await create(name, { inspectionMode: 'disabled' }, {}, { rack: 'r5' });
  for (const name of names) await hostIn(lab, name, 'available');
  const workflow = `--workflow-id ${hostWorkflowId({ namespace: NAMESPACE, name: 'rack-5' })}`;
  await run(`temporal workflow pause ${workflow} --reason 'a look at it'`, '');
  const [code, held] = await failing(
    run('npx temper hold host -n $namespace -l rack=r5 --at-once 2 --by ada --reason r', ''),
  );
  expect(code).toBe(3);
  expect(held).toMatch(/^1 of 5$[^]*^2 of 5$[^]*^5 of 5$[^]*^4 done, 0 refused, 1 could not be asked$/m);
  expect(held).toMatch(/rack-5: its run is paused in Temporal: TEMPORAL_ADDRESS=\S+ TEMPORAL_NAMESPACE=\S+ temporal /);
  expect(held).toContain(` temporal workflow unpause ${workflow}`);
  await run(`temporal workflow unpause ${workflow}`, '');
  const times = (await Promise.all(names.map(timesOfUpdates))).flat().toSorted(([a], [b]) => a - b);
  expect(times.filter(([, change]) => change > 0)).toHaveLength(4);
  let [running, most] = [0, 0];
  for (const [, change] of times) most = Math.max(most, (running += change));
  expect(most).toBeLessThanOrEqual(2);

  const [refusing, released] = await failing(
    run('npx temper release host -n $namespace -l rack=r5 --at-once 2 --by ada --reason r', ''),
  );
  expect(refusing).toBe(1);
  expect(released).toContain('refused: release rack-5: it is not in quarantine');
  expect(released).toContain('4 done, 1 refused, 0 could not be asked');
  for (const name of names) expect(await annotationsOf(name)).not.toHaveProperty(['temper/quarantine']);
});

describe('a message', () => {
  test('aborts a deployment in the provisioner too, parks the host, and resume goes on', async () => {
    const name = 'aborted';
    await create(name, { image: IMAGE });
    await hostIn(lab, name, 'provisioning');
    expect(await send(name, 'abort')).toBe(`abort ${NAMESPACE}/${name} by ada: the fan is loud`);
    await expect
      .poll(() => waitingFor(name))
      .toBe('parked by an abort, by ada: the fan is loud; resume or retry goes on');
    await expect(send(name, 'abort')).rejects.toMatchObject({
      cause: { message: `abort ${name}: it is parked already: resume or retry goes on` },
    });
    expect((await getHost(lab, name))?.status.provisioning.state).toBe('provisioning');
    await send(name, 'resume');
    await hostIn(lab, name, 'provisioned');
    await keepRuns(lab, 'aborted', hostWorkflowId({ namespace: NAMESPACE, name }), isHostOrDeployment);
  });

  test('ends a backoff', async () => {
    const name = 'retried';
    await create(name, {}, { 'temper/fixture-fail': 'inspect' });
    await hostThat(lab, name, 'failed', ({ status }) => status.errorType === 'inspection error');
    await annotate(name, 'temper/fixture-fail-');
    await send(name, 'retry');
    await hostIn(lab, name, 'available');
    expect(await told(name)).toEqual(['retry ada']);
  });

  test('has a host go whose node can not be deleted, if its name is confirmed', async () => {
    const name = 'stuck';
    await create(name, {}, { 'temper/fixture-fail': 'delete' });
    await hostIn(lab, name, 'available');
    await expect(send(name, 'forceDelete', { confirm: name })).rejects.toMatchObject({
      cause: { message: `forceDelete ${name}: it is not being deleted: kubectl delete bmh ${name} comes first` },
    });
    await kubectl(lab, ['delete', 'bmh', name, '--wait=false']);
    await hostThat(lab, name, 'failing to go', ({ status }) => status.errorMessage.includes('delete'));
    await expect(send(name, 'forceDelete', { confirm: 'other' })).rejects.toMatchObject({
      cause: { message: `forceDelete ${name}: confirm is not the name of the host, ${name}` },
    });
    await send(name, 'forceDelete', { confirm: name });
    await hostGone(lab, name);
    await expect
      .poll(() => eventsOf(name))
      .toEqual(
        expect.arrayContaining([
          'ForceDeleted: forceDelete by ada: the fan is loud',
          expect.stringMatching(/^NodeLeftBehind: node \S+ may still be in Ironic: /) as string,
        ]),
      );
    await keepRuns(lab, 'force-deleted', hostWorkflowId({ namespace: NAMESPACE, name }), isHostOrDeployment);
  });
});

test('the page names every message', async () => {
  const page = await readFile(new URL(`../../${PAGE}`, import.meta.url), 'utf8');
  for (const name of Object.keys(STEERING_MESSAGES)) expect(page).toContain(`\n| \`${name}\` |`);
});
