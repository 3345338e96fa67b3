import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type ScriptedIronic, scriptIronic } from '../builders/scripted-ironic.ts';
import { fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from './support/fixture.ts';
import { apply, editHost, hostThat, NAMESPACE } from './support/hosts.ts';
import { aCluster, aFreeHost, aMachine, create, expectToShow, list, on, PATIENCE } from './support/machines.ts';
import { joinFixtureLab } from './support/place/join.ts';
import { ROOT } from './support/start.ts';
import { startWorkers, type Workers } from './support/versions/release.ts';

/** Twice as many as a worker has slots for requests to Ironic. */
const HOSTS = 200;
const names = Array.from({ length: HOSTS }, (_, index) => `deployed-${index}`);
/** An activity waits as long as it may, so that no slot becomes free during the test. */
const PATIENT = { IRONIC_CLIENT_TIMEOUT: '10m' };
let lab: TestFixtureLab;
let ironic: ScriptedIronic;
let workers: Workers | undefined;

const inState = async (state: string): Promise<number> =>
  (await list(lab, 'host')).filter(
    ({ status }) => (status['provisioning'] as { readonly state?: string } | undefined)?.state === state,
  ).length;

beforeAll(async () => {
  ironic = await scriptIronic('silence');
  lab = await joinFixtureLab({ temperEnv: { FIXTURE_TIME_SCALE: '0' } });
  await aCluster(lab, 'test1');
  await aFreeHost(lab, 'free');
  const hosts = names.map((name) => fixtureHost(name, { image: IMAGE, inspectionMode: 'disabled' }));
  await apply(lab, ...names.map(fixtureSecret), ...hosts);
  await vi.waitUntil(async () => (await inState('provisioned')) === HOSTS, PATIENCE);
  // The fixture deployed the hosts; from now on they are Ironic's.
  await lab.kill('workers', 'SIGTERM');
  const endpoint = {
    PROVISIONER: 'ironic',
    IRONIC_ENDPOINT: ironic.endpoint,
    DEPLOY_ISO_URL: 'http://images/boot.iso',
  };
  workers = await startWorkers(ROOT, lab.endpoints, { ...endpoint, ...PATIENT });
  await vi.waitUntil(async () => (await workers?.readiness())?.status === 200, PATIENCE);
});
afterAll(async () => {
  await workers?.stop();
  await lab?.stop();
  await ironic?.close();
});

test('an Ironic that never answers keeps no address, no claim of a host and no data from being given, while 200 hosts are to be deprovisioned', async () => {
  await Promise.all(names.map((name) => editHost(lab, name, { image: null })));
  await expect.poll(() => inState('deprovisioning')).toBe(HOSTS);
  await expect.poll(() => ironic.requests.length).toBeGreaterThan(0);

  await create(lab, 'ipPool', 'pool', {
    spec: { namePrefix: 'pool', prefix: 24, pools: [{ start: '192.168.0.1', end: '192.168.0.9' }] },
  });
  await create(lab, 'ipClaim', 'claim', { spec: { pool: { name: 'pool' } } });
  await create(lab, 'metal3DataTemplate', 'template', { spec: { clusterName: 'test1' } });
  await aMachine(lab, 'test1', 'machine', { spec: { ...on('free'), dataTemplate: { name: 'template' } } });

  await expectToShow(lab, 'ipClaim', 'claim', { status: { address: { name: 'pool-192-168-0-1' } } });
  await hostThat(lab, 'free', 'claimed', ({ spec }) => spec['consumerRef'] !== undefined);
  await expectToShow(lab, 'metal3Data', 'template-0', { status: { ready: true } });
  await expectToShow(lab, 'metal3Machine', 'machine', {
    status: { renderedData: { name: 'template-0', namespace: NAMESPACE } },
  });
  expect(ironic.givenUp).toEqual([]);
});
