import { pino } from 'pino';
import { beforeEach, expect, test } from 'vitest';
import type { StuckObservation } from '../../domain/usual-times/stuck.ts';
import { KINDS } from '../../kube/kinds.ts';
import { readObject } from '../../kube/objects/any-object.ts';
import { createSerializer } from '../../kube/one-at-a-time.ts';
import { hostCollection, hostPath } from '../../kube/paths.ts';
import { createStore } from '../../kube/store.ts';
import { type ObjectsInMemory, objectsInMemory } from '../../test/builders/objects-in-memory.ts';
import { createLedger, type Ledger } from '../ledger.ts';
import { createAnnounce } from '../publish/announce.ts';
import { createMarkCondition } from '../publish/mark-condition.ts';
import { statusPatch } from '../publish/patches.ts';
import { createKeptTimes, type KeptTimes } from './kept-times.ts';
import { createStays, type Stays } from './stays.ts';
import { createStuckHosts } from './stuck-hosts.ts';

const NOW = Date.parse('2026-01-02T12:00:00Z');
const HOUR_MS = 3_600_000;
const HOST = { namespace: 'metal', name: 'host-1' };
const USER_DATA = { namespace: 'metal', name: 'user-data' };
const log = pino({ level: 'silent' });
const reporter = { component: 'c', controller: 'c' };
const binding = { followed: KINDS.host, reporterOf: () => reporter } as never;

let objects: ObjectsInMemory;
let kept: KeptTimes;
let stays: Stays;
let now: number;
let hasUserData: boolean;
let ledger: Ledger;
let told: StuckObservation[];
let isTemporalAway: boolean;
let sweep: () => Promise<void>;
beforeEach(() => {
  now = NOW;
  hasUserData = true;
  ledger = createLedger();
  told = [];
  isTemporalAway = false;
  objects = objectsInMemory();
  const { kube } = objects;
  const clock = (): number => now;
  kept = createKeptTimes({ kube, namespace: 'home', log, now: clock });
  stays = createStays((...passed) => kept.learn(...passed), clock);
  const markCondition = createMarkCondition({ kube, ledger, serially: createSerializer(), now: clock });
  const signal = (_: unknown, observation: StuckObservation): Promise<void> => {
    if (isTemporalAway) return Promise.reject(new Error('no answer from Temporal'));
    told.push(observation);
    return Promise.resolve();
  };
  const announce = createAnnounce({ kube, log, now: clock });
  sweep = async () => {
    const stores = createStore();
    const object = readObject(objects.all().get(hostPath(HOST)));
    const { uid, resourceVersion } = object.metadata;
    stores.put(KINDS.host, { ...HOST, uid, resourceVersion, object });
    if (hasUserData) stores.put(KINDS.secret, { ...USER_DATA, uid: 'u', resourceVersion: '1', object: undefined });
    const deps = { binding, stores, stays, kept, ledger, announce, markCondition, signal, log, now: clock };
    await createStuckHosts(deps)(new AbortController().signal);
  };
});

/** A host whose status was written three hours ago. */
async function aHost(status: object, metadata: object = {}): Promise<void> {
  const body = {
    metadata: { ...HOST, ...metadata },
    spec: { bmc: { address: 'redfish://a/b' }, userData: { name: USER_DATA.name } },
    status: { operationalStatus: 'OK', lastUpdated: new Date(NOW - 3 * HOUR_MS).toISOString(), ...status },
  };
  await objects.kube.request({ method: 'POST', path: hostCollection('metal'), body });
}
const inspecting = { provisioning: { state: 'inspecting' } };
const conditions = (): unknown => objects.all().get(hostPath(HOST))?.status?.['conditions'] ?? [];
const events = (): number => [...objects.all().keys()].filter((path) => path.includes('/events/')).length;
const ready = (message: string): object => ({
  type: 'Ready',
  status: 'False',
  reason: 'NotProvisioned',
  message,
  lastTransitionTime: '2026-01-02T09:00:00Z',
});

test('a host that is in its state for too long is shown as stuck, with one Event', async () => {
  await aHost(inspecting);
  await sweep();
  const message =
    'The host is inspecting since 2026-01-02T09:00:00Z. That usually takes at most 10m0s (assumed, nothing was measured yet), and is an alarm after 2h0m0s. The host is in its state for longer than usual, and shows no error: the server, its agent, Ironic or the workers are slow or gone. Look at the console of the server, at Ironic, and at /readyz of the workers. With Temporal, the details of its run say more.';
  expect(conditions()).toMatchObject([{ type: 'Stuck', status: 'True', reason: 'LongerThanUsual', message }]);
  // As for a bridge that did not see the state begin, when the status changes.
  const lastUpdated = new Date(NOW).toISOString();
  await objects.kube.patch(`${hostPath(HOST)}/status`, { status: { lastUpdated } });
  await sweep();
  expect(conditions()).toMatchObject([{ type: 'Stuck', message }]);
  now += 3 * HOUR_MS;
  await sweep();
  expect(events()).toBe(1);
});

test('the run of a stuck host is told once, and again when Temporal has lost its database', async () => {
  await aHost(inspecting);
  isTemporalAway = true;
  await sweep();
  expect(conditions()).toMatchObject([{ type: 'Stuck', status: 'True' }]);
  isTemporalAway = false;
  await sweep();
  await sweep();
  const { uid } = readObject(objects.all().get(hostPath(HOST))).metadata;
  expect(told).toEqual([{ uid, state: 'inspecting' }]);
  ledger.forgetSignals();
  await sweep();
  expect(told).toHaveLength(2);
});

test.each(['deprovisioning', 'powering off before delete', 'deleting'])(
  'a host that is being deleted and stays %s is told what holds that up, not that it is being deleted',
  async (state) => {
    const deletionTimestamp = '2026-01-02T08:59:00Z';
    const answer = 'no answer from Ironic at https://ironic: connect ECONNREFUSED';
    await aHost(
      { provisioning: { state }, conditions: [ready(answer)] },
      { deletionTimestamp, finalizers: ['baremetalhost.metal3.io'] },
    );
    now += 9 * HOUR_MS;
    await sweep();
    expect(conditions()).toMatchObject([{ type: 'Ready' }, { type: 'Stuck', reason: 'IronicDown' }]);
  },
);

test('the condition and an Event name the cause, also one that becomes known later', async () => {
  await aHost({ provisioning: { state: 'provisioning' } });
  now += 3 * HOUR_MS;
  hasUserData = false;
  await sweep();
  const since = 'The host is provisioning since 2026-01-02T09:00:00Z. ';
  const absent = expect.stringContaining('or write images over their disks. Create the Secret user-data') as unknown;
  expect(conditions()).toMatchObject([{ type: 'Stuck', reason: 'DataSecretAbsent', message: absent }]);
  await sweep();
  expect(events()).toBe(1);

  // Another bridge: it did not see the state begin.
  hasUserData = true;
  stays = createStays(
    () => undefined,
    () => now,
  );
  const answer =
    'Provision host-1: deployNode: 3 attempts since 2026-01-02T09:00:00Z, last answer: no answer from Ironic at https://ironic:6385';
  const lastUpdated = new Date(now).toISOString();
  const status = { conditions: [...(conditions() as object[]), ready(answer)], lastUpdated };
  await objects.kube.patch(`${hostPath(HOST)}/status`, { status });
  await sweep();
  const stuck = (conditions() as { readonly type: string; readonly message: string }[]).find(
    ({ type }) => type === 'Stuck',
  );
  expect(stuck).toMatchObject({ reason: 'IronicDown' });
  expect(stuck?.message).toContain(since);
  expect(stuck?.message).toContain('Ironic does not answer');
  expect(events()).toBe(2);
});

test.each([
  ['at rest', { provisioning: { state: 'provisioned' } }, {}],
  ['delayed', { ...inspecting, operationalStatus: 'delayed' }, {}],
  ['paused', inspecting, { annotations: { 'baremetalhost.metal3.io/paused': '' } }],
  ['in quarantine', inspecting, { annotations: { 'temper/quarantine': 'x' } }],
  ['waiting for an approval', { ...inspecting, conditions: [{ type: 'StepHeld', status: 'True' }] }, {}],
])('a host that is %s is not stuck', async (_, status, metadata) => {
  await aHost(status, metadata);
  await sweep();
  expect(events()).toBe(0);
});

test('a host that is left to another operator is not shown as stuck', async () => {
  await aHost(inspecting);
  ledger.of(readObject(objects.all().get(hostPath(HOST))).metadata.uid).leftAlone = 'another operator is here';
  await sweep();
  expect([events(), conditions()]).toEqual([0, []]);
});

test('the time begins when a host goes on that was held', async () => {
  await aHost(inspecting, { annotations: { 'temper/quarantine': 'x' } });
  await sweep();
  await objects.kube.patch(hostPath(HOST), { metadata: { annotations: { 'temper/quarantine': null } } });
  now += HOUR_MS;
  await sweep();
  expect(events()).toBe(0);
  now += 2 * HOUR_MS;
  await sweep();
  expect(events()).toBe(1);
});

test('the time begins now when the status was written in the future, by a clock that was ahead', async () => {
  await aHost({ ...inspecting, lastUpdated: new Date(NOW + 9_000 * HOUR_MS).toISOString() });
  await sweep();
  expect(conditions()).toEqual([]);
  now = NOW + 3 * HOUR_MS;
  await sweep();
  expect(conditions()).toMatchObject([{ type: 'Stuck' }]);
});

test('a host that waits for something else is no longer stuck', async () => {
  await aHost(inspecting);
  await sweep();
  await objects.kube.patch(`${hostPath(HOST)}/status`, { status: { operationalStatus: 'error' } });
  await sweep();
  expect(conditions()).toEqual([]);
});

test('a view keeps the condition in the same state, and takes it away with the next one', async () => {
  await aHost(inspecting);
  await sweep();
  const object = readObject(objects.all().get(hostPath(HOST)));
  const shown = (state: string): unknown => {
    const view = { shown: { conditions: [], timed: true }, generation: 1 } as const;
    const status = { operationalStatus: 'OK', poweredOn: true, provisioning: { state } };
    return statusPatch(object, view, status, [], { now: NOW });
  };
  expect(shown('inspecting')).not.toHaveProperty('conditions');
  expect(shown('preparing')).toMatchObject({ conditions: [] });
});

test('what one bridge has learned is known to the next, and nothing is written when nothing was learned', async () => {
  await kept.load();
  await kept.save();
  expect(objects.all().size).toBe(0);
  for (let life = 0; life < 40; life += 1) kept.learn('unknown, redfish', { state: 'inspecting', ms: 60_000 });
  await kept.save();
  kept = createKeptTimes({ kube: objects.kube, namespace: 'home', log, now: () => now });
  await kept.load();
  expect(kept.times['unknown, redfish']?.states.inspecting).toEqual({ 12: 40 });
});
