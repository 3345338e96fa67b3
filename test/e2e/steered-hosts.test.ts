import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { historyOf } from '../../domain/steering/history.ts';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { hostWorkflowId, STEERING_MESSAGES } from '../../workflows/messages.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { keepRuns, type Run } from './support/histories.ts';
import { apply, editHost, getHost, hostGone, hostIn, hostThat, kubectl, NAMESPACE } from './support/hosts.ts';
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
    const resume = /^ *temporal [^\n]+\n *--name resume .+$/m.exec(details)?.[0] ?? '';
    expect(await run(resume, name)).toContain(`resume ${NAMESPACE}/${name} by USER: WHY`);
    expect(await annotationsOf(name)).not.toHaveProperty('baremetalhost.metal3.io/paused');
    await keepRuns(lab, 'steered', hostWorkflowId({ namespace: NAMESPACE, name }), isHostOrDeployment);
  });
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
