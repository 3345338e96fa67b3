import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FIXTURE_HARDWARE } from '../../domain/fixture/hardware.ts';
import { configMapPath, hostPath, secretPath } from '../../kube/paths.ts';
import { atNight } from '../at-night.ts';
import { isHost } from './support/approvals.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { keepHistories, runsOf } from './support/histories.ts';
import {
  apply,
  editHost,
  getHost,
  hostGone,
  hostIn,
  hostThat,
  inspectedByOthers,
  kubectl,
  NAMESPACE,
  secret,
} from './support/hosts.ts';
import { loggedAbout } from './support/named-lines.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { type HostSights, type Sight, watchSights } from './support/watch.ts';

/**
 * Hosts on the fixture, watched by a client. The seconds asserted here are how long upstream's own tests, and those of
 * controllers that use BareMetalHosts, wait with upstream's fixture, polling every 10 ms.
 */
const POLL_MS = 10;
/**
 * How many times these seconds are allowed. In the nightly run, which has the computer to itself, it is 1, so that run
 * alone shows that the seconds suffice.
 */
const SLOWNESS = Number(process.env['TEMPER_FIXTURE_SLOWNESS'] ?? 20);

let lab: TestFixtureLab;
let sights: HostSights;
beforeAll(async () => {
  lab = await joinFixtureLab();
  sights = watchSights(lab.kube);
});
afterAll(async () => {
  sights?.close();
  await lab?.stop();
});

/** Seen within the seconds, multiplied by how much slower the computer may be. */
async function within(seconds: number, since: number, name: string, holds: (sight: Sight) => boolean): Promise<void> {
  const tookMs = await msUntil(since, name, holds);
  expect(tookMs, `ms until ${name} was as described`).toBeLessThan(seconds * 1_000 * SLOWNESS);
}

/** The time until the host was seen like this, for long enough that a client that polls every 10 ms sees it. */
async function msUntil(since: number, name: string, holds: (sight: Sight) => boolean): Promise<number> {
  const sight = await sights.seen(name, since, holds, 600_000);
  const until = await ended(name, sight, holds);
  expect(until - sight.from, `ms for which ${name} was ${JSON.stringify(sight)}`).toBeGreaterThan(POLL_MS);
  return sight.from - since;
}

/** The time at which this ended; a state that lasts counts as ended after a while. */
async function ended(name: string, sight: Sight, holds: (sight: Sight) => boolean): Promise<number> {
  const end = (): number | undefined => {
    const all = sights.of(name);
    const later = all.slice(all.findIndex((one) => one.from === sight.from && holds(one)) + 1);
    return later.find((one) => !holds(one))?.from ?? all.at(-1)?.until;
  };
  while (end() === undefined && Date.now() - sight.from < 10 * POLL_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return end() ?? Date.now();
}

const inState =
  (state: string) =>
  (sight: Sight): boolean =>
    sight.state === state;
const powered =
  (on: boolean) =>
  (sight: Sight): boolean =>
    sight.poweredOn === on;

/** Applies the host with its Secret; returns the time at which it existed. */
async function create(name: string, spec: Parameters<typeof fixtureHost>[1] = {}, annotations = {}): Promise<number> {
  await apply(lab, fixtureSecret(name));
  return applied(name, fixtureHost(name, spec, annotations));
}

/** Returns the time at which the host existed, as the API server reported it. */
async function applied(name: string, manifest: object): Promise<number> {
  await apply(lab, manifest);
  return (await sights.seen(name, 0, () => true)).from;
}

async function change(name: string, spec: object): Promise<number> {
  const since = Date.now();
  await editHost(lab, name, spec);
  return since;
}

async function remove(name: string): Promise<number> {
  const since = Date.now();
  await lab.kube.request({ method: 'DELETE', path: hostPath({ namespace: NAMESPACE, name }) });
  return since;
}

describe('a host on the fixture', () => {
  test('is inspected, available, provisioned, deprovisioned and gone, each in the time that others wait for it', async () => {
    const created = await create('life');
    await within(1, created, 'life', inState('inspecting'));
    await within(60, created, 'life', inState('available'));
    const { status } = await hostThat(lab, 'life', 'on', (host) => host.status.poweredOn);
    expect(status).toMatchObject({
      hardware: FIXTURE_HARDWARE,
      provisioning: { ID: expect.stringMatching(/^temporary-fake-id-/) as unknown },
    });

    const imaged = await change('life', { image: IMAGE });
    await within(60, imaged, 'life', inState('provisioning'));
    await within(300, imaged, 'life', inState('provisioned'));

    await within(5, await change('life', { image: null }), 'life', inState('deprovisioning'));
    await hostIn(lab, 'life', 'available');

    await within(5, await remove('life'), 'life', inState('deleting'));
    await hostGone(lab, 'life');
    // The host owns both, so they are garbage-collected with it.
    await expect.poll(() => lab.kube.find(machine(status.provisioning.ID))).toBeUndefined();
    await expect.poll(() => lab.kube.find(secretPath({ namespace: NAMESPACE, name: 'life-bmc' }))).toBeUndefined();
  });

  test('without its Secret is registering, and says what is wrong', async () => {
    const since = await applied('no-secret', fixtureHost('no-secret'));
    await within(5, since, 'no-secret', inState('registering'));
    await within(5, since, 'no-secret', ({ errorType }) => errorType === 'registration error');
    const problem = `BMC CredentialsName secret doesn't exist The BMC secret ${NAMESPACE}/no-secret-bmc does not exist`;
    const told = `registration error \\(failure 1\\): ${problem}; since \\d{4}-\\S+Z; waits for a change`;
    const message: unknown = expect.stringMatching(new RegExp(`^${told}$`));
    expect((await getHost(lab, 'no-secret'))?.status['conditions']).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ type: 'Ready', status: 'False', reason: 'Error', message }),
        expect.objectContaining({ type: 'Manageable', status: 'False', reason: 'RegistrationFailed', message }),
      ]) as object,
    );
    const jsonpath = 'jsonpath={range .items[*]}{.type} {.reason}: {.message}{"\\n"}{end}';
    const events = ['get', 'events', '--field-selector', 'involvedObject.name=no-secret', '-o', jsonpath];
    await expect.poll(() => kubectl(lab, events)).toContain(`Warning BMCCredentialError: ${problem}`);
    const [, row = ''] = (await kubectl(lab, ['get', 'bmh', 'no-secret', '-o', 'wide'])).split('\n');
    expect(row).toMatch(new RegExp(told));
  });

  test('that names another Secret while its deployment waits for one is deployed with that, by the same operation', async ({
    skip,
  }) => {
    atNight(skip, 'test/integration/fixture-freshness.test.ts');
    await apply(lab, secret('renamed-data', { value: '#cloud-config' }));
    await create('renamed', { image: IMAGE, userData: { name: 'not-there' } });
    await hostThat(lab, 'renamed', 'waiting for the Secret', ({ status }) =>
      JSON.stringify(status).includes('not-there'),
    );
    await editHost(lab, 'renamed', { userData: { name: 'renamed-data' } });
    await hostIn(lab, 'renamed', 'provisioned');
    const runs = await runsOf(lab, 'renamed');
    expect(runs.filter(({ type }) => type === 'provisionWorkflow')).toHaveLength(1);
    await keepHistories(lab, 'data-renamed', 'renamed', isHost);
  });

  test('without BMC details is unmanaged', async () => {
    const since = await applied('bare', {
      apiVersion: 'metal3.io/v1alpha1',
      kind: 'BareMetalHost',
      metadata: { name: 'bare' },
      spec: { online: false },
    });
    await within(60, since, 'bare', inState('unmanaged'));
  });

  test('that others inspect is available without an inspection', async ({ skip }) => {
    atNight(skip, 'domain/host/states/registering.test.ts');
    const hardware = { cpu: { arch: 'x86_64', count: 2 }, hostname: 'localhost', ramMebibytes: 4096 };
    const since = await create('external', {}, inspectedByOthers(hardware));
    await within(5, since, 'external', inState('available'));
    expect(sights.of('external').some(inState('inspecting'))).toBe(false);
  });

  test('that others have provisioned is adopted, and only leaves when it is deleted', async () => {
    const since = await create('externally', { externallyProvisioned: true });
    await within(60, since, 'externally', inState('externally provisioned'));
    await hostThat(lab, 'externally', 'on', ({ status }) => status.poweredOn);
    expect(await lab.kube.find(machine(await idOf('externally')))).toMatchObject({ data: { state: 'active' } });
    await within(5, await remove('externally'), 'externally', inState('deleting'));
    await hostGone(lab, 'externally');
  });

  test('shows each change of its power', async () => {
    const created = await create('power', { inspectionMode: 'disabled' });
    await within(60, created, 'power', powered(true));
    await within(5, await change('power', { online: false }), 'power', powered(false));
    await within(5, await change('power', { online: true }), 'power', powered(true));
  });
});

/** Sets or removes the annotation; returns the time. */
async function annotate(name: string, annotation: string, value: string | null): Promise<number> {
  const since = Date.now();
  await lab.kube.patch(hostPath({ namespace: NAMESPACE, name }), {
    metadata: { annotations: { [annotation]: value } },
  });
  return since;
}

describe('an annotation', () => {
  test('shows both states of a reboot, and keeps a host off as long as the annotation exists', async ({ skip }) => {
    atNight(skip, 'domain/host/memory/reboot-annotations.test.ts');
    const created = await create('reboot', { inspectionMode: 'disabled' });
    await within(60, created, 'reboot', powered(true));

    const rebooted = await annotate('reboot', 'reboot.metal3.io', '{"force": true}');
    await within(5, rebooted, 'reboot', powered(false));
    await within(5, await offSince('reboot', rebooted), 'reboot', powered(true));
    await hostThat(lab, 'reboot', 'rebooted', ({ metadata }) => !('reboot.metal3.io' in metadata.annotations));

    const off = await annotate('reboot', 'reboot.metal3.io/poweroff', '{"force": true}');
    await within(5, off, 'reboot', powered(false));
    const on = await annotate('reboot', 'reboot.metal3.io/poweroff', null);
    await within(5, on, 'reboot', powered(true));
  });

  test('detaches a host, and takes it back, in the time that others wait for it', async () => {
    await create('detached');
    await hostIn(lab, 'detached', 'available');
    await hostThat(lab, 'detached', 'on', ({ status }) => status.poweredOn);
    const tookMs: number[] = [];
    // A busy computer adds to the time, so the minimum of several is asserted.
    for (let round = 1; round <= 3; round++) {
      const ID = await idOf('detached');
      const asked = await annotate('detached', DETACHED, '');
      tookMs.push(await msUntil(asked, 'detached', operational('detached')));
      // Only the power state of the machine remains.
      expect(await lab.kube.find(machine(ID))).toMatchObject({ data: { host: 'detached', power: 'on' } });
      expect(await lab.kube.find(machine(ID))).not.toHaveProperty('data.state');

      const back = await annotate('detached', DETACHED, null);
      const { state } = await sights.seen('detached', back, operational('OK'));
      expect(state).toBe('available');
      await expect.poll(async () => lab.kube.find(machine(await idOf('detached')))).toHaveProperty('data.state');
    }
    expect(Math.min(...tookMs), `ms until it was detached, of ${tookMs.join(', ')}`).toBeLessThan(1_000 * SLOWNESS);
  });
});

const DETACHED = 'baremetalhost.metal3.io/detached';

/** The time at which the host was powered off after `since`. */
const offSince = async (name: string, since: number): Promise<number> =>
  (await sights.seen(name, since, (sight) => powered(false)(sight) && sight.from >= since)).from;

const operational =
  (operationalStatus: string) =>
  (sight: Sight): boolean =>
    sight.operationalStatus === operationalStatus;

const machine = (name: string): string => configMapPath({ namespace: NAMESPACE, name });
const idOf = async (name: string): Promise<string> => (await getHost(lab, name))?.status.provisioning.ID ?? '';

describe('the fixture', () => {
  test('loses no host when its workers are killed amid a deployment', async ({ skip }) => {
    atNight(skip, 'test/e2e/chaos.test.ts');
    await create('survivor', { inspectionMode: 'disabled' });
    await hostIn(lab, 'survivor', 'available');
    await editHost(lab, 'survivor', { image: IMAGE });
    await hostIn(lab, 'survivor', 'provisioning');
    await lab.kill('workers', 'SIGKILL');
    await lab.start('workers');
    await hostIn(lab, 'survivor', 'provisioned');
    expect(sights.of('survivor').filter(({ errorType }) => errorType !== '')).toEqual([]);
  });

  test('registers and adopts a provisioned host again when its machine was lost', async () => {
    await create('forgotten', { inspectionMode: 'disabled', image: IMAGE });
    await hostIn(lab, 'forgotten', 'provisioned');
    await hostThat(lab, 'forgotten', 'on', ({ status }) => status.poweredOn);
    await lab.kube.request({ method: 'DELETE', path: machine(await idOf('forgotten')) });
    await editHost(lab, 'forgotten', { online: false });
    const { status } = await hostThat(lab, 'forgotten', 'off', ({ status: now }) => !now.poweredOn);
    expect(status.provisioning.state).toBe('provisioned');
    const adopted = { data: { state: expect.stringMatching(/^adopting$|^active$/) as unknown, power: 'off' } };
    // It may be seen off, as a new machine before its adoption.
    await expect.poll(async () => lab.kube.find(machine(await idOf('forgotten')))).toMatchObject(adopted);
  });

  test('fails the requested operations, with messages that users see', async () => {
    await create('clumsy', {}, { 'temper/fixture-fail': 'inspect' });
    const { status } = await hostThat(lab, 'clumsy', 'failed', (host) => host.status.errorType === 'inspection error');
    expect(status.errorMessage).toBe("the annotation temper/fixture-fail makes 'inspect' fail");
    await lab.kube.patch(hostPath({ namespace: NAMESPACE, name: 'clumsy' }), {
      metadata: { annotations: { 'temper/fixture-fail': null } },
      spec: { description: 'a change ends the wait of a host that failed' },
    });
    await hostIn(lab, 'clumsy', 'available');
  });
});

test('each line of a log about a host names it and its uid, and those of the workers the run', async () => {
  const { byWorkers, nameless } = await loggedAbout(lab, { namespace: NAMESPACE, ...sights });
  expect(byWorkers).toContain('Workflow failed');
  expect(nameless).toEqual([]);
});
