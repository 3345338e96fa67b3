import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CONCURRENT_CHANGES as PLACES } from '../../activities/ironic/client/connection.ts';
import { apply, editHost, fakeHostManifest, getHost, type Host, secret } from './support/hosts.ts';
import { aLab, type TestLab } from './support/lab.ts';
import { PATIENCE } from './support/machines.ts';
import { addFault, faultsLeft, forgetFaults, forgetRecorded } from './support/recorded.ts';
import { type Change, changesOf, hostReadsOf, outOfTurn } from './support/turns.ts';

/** More than there are places. */
const HOSTS = Number(process.env['TEMPER_FLIPPED_HOSTS'] ?? 6);
const names = Array.from({ length: HOSTS }, (_, index) => `host-${index}`);
const LOCKED = 'Node is locked by host conductor-1, please retry after the current operation is completed.';
const MOVES = { method: 'PUT', path: 'states/provision$' } as const;
let lab: TestLab;
/** Hosts by the id of their node. */
let hostsOfNodes: ReadonlyMap<string, string>;

beforeAll(async () => {
  // A held request is waited for as long as an activity may take.
  const temperEnv = { PROVISIONING_LIMIT: String(HOSTS), IRONIC_CLIENT_TIMEOUT: '10m' };
  lab = await aLab({ machines: 1, auditContents: true, temperEnv });
  await apply(lab, secret('fake-bmc', { username: 'nobody', password: 'nothing' }));
  const spec = { online: true, image: lab.endpoints.testImage, inspectionMode: 'disabled' } as const;
  await apply(lab, ...names.map((name) => fakeHostManifest(name, spec)));
  await allIn('provisioned');
  hostsOfNodes = new Map((await hosts()).map(({ status }, index) => [status.provisioning.ID, names[index] ?? '']));
});
afterAll(() => lab?.stop());

const hosts = async (): Promise<readonly Host[]> =>
  (await Promise.all(names.map((name) => getHost(lab, name)))).filter((host) => host !== undefined);
const allIn = (state: string): Promise<boolean> =>
  vi.waitUntil(
    async () => (await hosts()).filter(({ status }) => status.provisioning.state === state).length === HOSTS,
    PATIENCE,
  );
const change = (image: object | null): Promise<unknown> =>
  Promise.all(names.map((name) => editHost(lab, name, { image })));
const changes = (): Promise<readonly Change[]> => changesOf(lab, hostsOfNodes);
const accepted = async (target: string): Promise<readonly string[]> =>
  (await changes())
    .filter((one) => one.target === target && one.status < 300 && !one.injected)
    .map(({ host }) => host)
    .toSorted();

test(`what Ironic is told follows a read of the host that was made when the request had its turn, while ${HOSTS} images are removed and put back`, async () => {
  await forgetRecorded(lab);
  await addFault(lab, { ...MOVES, status: 503, times: 2 });
  await addFault(lab, { ...MOVES, status: 409, message: LOCKED, times: 2 });
  await addFault(lab, { ...MOVES, hold: true, times: PLACES });
  await change(null);
  // All hosts are on their way, some requests were refused, and the others wait behind those that Ironic holds.
  await allIn('deprovisioning');
  await vi.waitUntil(async () => (await changes()).filter(({ injected }) => injected).length === 4, PATIENCE);
  await vi.waitUntil(async () => (await faultsLeft(lab)) === 0, PATIENCE);

  await change(lab.endpoints.testImage);
  await forgetFaults(lab);
  await allIn('provisioned');

  const erased = await accepted('deleted');
  expect(erased).toHaveLength(PLACES);
  expect(await accepted('active')).toEqual(erased);
  expect((await changes()).map(({ status }) => status)).toEqual(expect.arrayContaining([409, 503]));
  expect(outOfTurn(await changes(), await hostReadsOf(lab), PLACES)).toEqual([]);
});
