import { describe, expect, test } from 'vitest';
import { codeOf } from '../../domain/steering/code.ts';
import { historyOf } from '../../domain/steering/history.ts';
import type { SteeringMessage } from '../../domain/steering/messages.ts';
import { KINDS } from '../../kube/kinds.ts';
import { ASKED, aServer, HOST, NOW } from '../../test/builders/steered-object.ts';
import { createSteeringActivities, type SteeringDeps } from './steer-object.ts';

const QUARANTINE: SteeringMessage = { name: 'quarantine', ...ASKED };

const steer = (
  { deps }: ReturnType<typeof aServer>,
  message: SteeringMessage,
  { id = 'm1', requestedAt = NOW, uid = 'u', state = 'provisioned' } = {},
) =>
  createSteeringActivities(deps).steerHost({
    object: { ...HOST, uid },
    id,
    requestedAt,
    known: { state, hasError: false },
    message,
  });

describe('a message', () => {
  test('is written with its reason and into the list, in one patch, and told by an Event', async () => {
    const server = aServer();
    expect(await steer(server, QUARANTINE)).toEqual({
      kind: 'done',
      at: '2026-01-01T00:00:00Z',
      said: 'quarantine metal/node-1 by ada: the fan is loud',
    });
    expect(server.patches).toMatchObject([{ metadata: { resourceVersion: '7' } }]);
    expect(server.cr().metadata.annotations['temper/quarantine']).toBe(JSON.stringify(ASKED));
    expect(historyOf(server.cr().metadata.annotations)).toMatchObject([{ what: 'quarantine', ...ASKED, open: true }]);
    expect(server.events).toMatchObject([
      { reason: 'Quarantined', message: 'quarantine by ada: the fan is loud', type: 'Normal' },
    ]);
  });

  test('that is repeated after a lost answer is not written again', async () => {
    const server = aServer();
    const first = await steer(server, QUARANTINE);
    expect(await steer(server, QUARANTINE)).toEqual(first);
    expect(server.patches).toHaveLength(1);
    expect(new Set(server.events.map(({ id }) => id)).size).toBe(1);
  });

  test('that is too late, for another object, or without sense for the object as it is now changes nothing', async () => {
    const server = aServer();
    const power: SteeringMessage = { name: 'power', to: 'off', ...ASKED };
    expect(await steer(server, power, { requestedAt: NOW - 11 * 60_000 })).toEqual({
      kind: 'refused',
      why: 'it was sent at 2025-12-31T23:49:00Z, too long ago: send it again',
    });
    expect(await steer(server, power, { requestedAt: Date.parse('2027-01-01T00:00:00Z') })).toEqual({
      kind: 'refused',
      why: 'it was sent at 2027-01-01T00:00:00Z, in the future: send it again',
    });
    expect(await steer(server, power, { uid: 'former' })).toEqual({
      kind: 'refused',
      why: 'it does not exist any more',
    });
    expect(await steer(server, { name: 'release', ...ASKED })).toEqual({
      kind: 'refused',
      why: 'it is not in quarantine: it goes on by itself when something changes',
    });
    expect(server.patches).toEqual([]);
    expect(server.events).toEqual([]);
  });

  test('is judged again by the newer object after a conflict', async () => {
    const server = aServer({ refusing: [409] });
    expect(await steer(server, QUARANTINE)).toMatchObject({ kind: 'done' });
    expect(server.patches).toHaveLength(1);
  });

  test('is judged by the state that the run knows, which the object does not show yet', async () => {
    const abort: SteeringMessage = { name: 'abort', ...ASKED };
    expect(await steer(aServer(), abort)).toMatchObject({ kind: 'refused' });
    expect(await steer(aServer(), abort, { state: 'deprovisioning' })).toMatchObject({ kind: 'done' });
  });

  test('about power changes the spec, and a deletion by force is a Warning', async () => {
    const server = aServer();
    await steer(server, { name: 'power', to: 'off', ...ASKED });
    expect(server.cr().spec).toEqual({ online: false });
    const leaving = aServer({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } });
    await steer(leaving, { name: 'forceDelete', confirm: 'node-1', ...ASKED });
    expect(leaving.cr().metadata.annotations['temper/force-delete']).toBe('node-1');
    expect(leaving.events).toMatchObject([{ reason: 'ForceDeleted', type: 'Warning' }]);
  });
});

type SteerableServer = Pick<ReturnType<typeof aServer>, 'deps'>;
const OF_MACHINE = { hasFailed: false, host: 'host-1', hostAwaitsRetry: false };
const steerMachine = (
  { deps }: SteerableServer,
  message: SteeringMessage,
  more: object = {},
  of: { readonly api?: string } = {},
) =>
  createSteeringActivities(deps).steerMachine({
    object: HOST,
    id: 'm1',
    requestedAt: NOW,
    known: { ...OF_MACHINE, ...more },
    message,
    ...of,
  });

describe('a message to a machine', () => {
  test('is written as Cluster API’s own annotation, and into the list', async () => {
    const server = aServer();
    expect(await steerMachine(server, { name: 'pause', ...ASKED })).toMatchObject({
      kind: 'done',
      said: 'pause metal/node-1 by ada: the fan is loud',
    });
    const { annotations } = server.cr().metadata;
    expect(annotations['cluster.x-k8s.io/paused']).toBe('paused by ada: the fan is loud');
    expect(historyOf(annotations)).toMatchObject([{ what: 'pause', ...ASKED, open: true }]);
    expect(server.events).toMatchObject([{ reason: 'Paused' }]);
  });

  test('that is for its host is in its list, and changes nothing else of it', async () => {
    const server = aServer();
    await steerMachine(server, { name: 'power', to: 'off', ...ASKED });
    expect(server.patches).toEqual([
      {
        metadata: { resourceVersion: '7', annotations: { 'temper/history': expect.any(String) as unknown } },
      },
    ]);
    expect(historyOf(server.cr().metadata.annotations)).toMatchObject([{ what: 'power off', ...ASKED }]);
    const parked = aServer();
    await steerMachine(parked, { name: 'retry', ...ASKED }, { hostAwaitsRetry: true });
    expect(Object.keys(parked.cr().metadata.annotations)).toEqual(['temper/history']);
  });

  test('is judged by what its run knows', async () => {
    const retry: SteeringMessage = { name: 'retry', ...ASKED };
    expect(await steerMachine(aServer(), retry)).toMatchObject({ kind: 'refused' });
    expect(await steerMachine(aServer(), retry, { hasFailed: true })).toMatchObject({ kind: 'done' });
  });

  test('that somebody annotated is added to its list, unless it is paused', async () => {
    const server = aServer({ annotations: { 'temper/retry': 'again', 'temper/quarantine': 'not of machines' } });
    await server.noteMachine();
    expect(server.events).toMatchObject([{ reason: 'Retried', message: 'retry by an annotation: again' }]);
    const paused = aServer({ annotations: { 'temper/retry': 'again', 'cluster.x-k8s.io/paused': '' } });
    await paused.noteMachine();
    expect(paused.patches).toEqual([]);
  });
});

test('what a forged order says of annotations, deletion, or the API in charge does not count', async () => {
  const RELEASE: SteeringMessage = { name: 'release', ...ASKED };
  const forged = { annotations: { 'temper/quarantine': '', 'cluster.x-k8s.io/paused': '' }, authority: undefined };
  const order = { object: HOST, id: 'm1', requestedAt: NOW };
  const ofHost = aServer();
  const known = { state: 'provisioned', hasError: false, ...forged };
  const activities = createSteeringActivities(ofHost.deps);
  expect(await activities.steerHost({ ...order, known, message: RELEASE })).toMatchObject({ kind: 'refused' });
  const ofMachine = { ...OF_MACHINE, ...forged };
  const message: SteeringMessage = { name: 'resume', ...ASKED };
  expect(await activities.steerMachine({ ...order, known: ofMachine, message })).toMatchObject({ kind: 'refused' });
  const left = aServer({ status: { authoritativeAPI: 'ClusterAPI' } });
  const toLeft = { ...order, known: ofMachine, message: QUARANTINE, api: 'machine.openshift.io/v1beta1' };
  expect(await createSteeringActivities(left.deps).steerMachine(toLeft)).toMatchObject({ kind: 'refused' });
  expect([...ofHost.patches, ...left.patches]).toEqual([]);
});

describe('a message to a Machine of the Machine API', () => {
  const OPENSHIFT = 'machine.openshift.io/v1beta1';
  const send = (server: SteerableServer, message: SteeringMessage, more: object = {}, api = OPENSHIFT) =>
    steerMachine(server, message, more, { api });

  test.each([
    [OPENSHIFT, KINDS.openShiftMachine],
    ['cluster.k8s.io/v1alpha1', KINDS.clusterMachine],
  ])('is in the list of the Machine of %s, and told by an Event of it', async (api, kind) => {
    const server = aServer();
    const told: unknown[] = [];
    const read: string[] = [];
    const deps: SteeringDeps = {
      ...server.deps,
      kube: { ...server.deps.kube, find: (path) => (read.push(path), server.deps.kube.find(path)) },
      announce: async ({ followed }) => told.push(followed),
    };
    expect(await send({ ...server, deps }, QUARANTINE, {}, api)).toMatchObject({ kind: 'done' });
    expect(historyOf(server.cr().metadata.annotations)).toMatchObject([{ what: 'quarantine', ...ASKED }]);
    expect(Object.keys(server.cr().metadata.annotations)).toEqual(['temper/history']);
    expect(read).toEqual([`/apis/${api}/namespaces/metal/machines/node-1`]);
    expect(told).toEqual([kind]);
  });

  test('that asks for a pause is refused, with the host that can be paused', async () => {
    const server = aServer();
    expect(await send(server, { name: 'pause', ...ASKED })).toEqual({
      kind: 'refused',
      why: 'Machines of the Machine API have no pause: pause its host host-1',
    });
    expect(server.patches).toEqual([]);
  });

  test('is refused by one that Cluster API is in charge of, and nothing is added to its list', async () => {
    const status = { authoritativeAPI: 'ClusterAPI' };
    const server = aServer({ status, annotations: { 'temper/retry': 'again' } });
    expect(await send(server, QUARANTINE)).toMatchObject({ kind: 'refused' });
    await server.noteMachineApi();
    expect(server.patches).toEqual([]);
    const ours = aServer({ annotations: { 'temper/retry': 'again' } });
    await ours.noteMachineApi();
    expect(ours.events).toMatchObject([{ reason: 'Retried', message: 'retry by an annotation: again' }]);
  });

  test('is refused when its API is not known', async () => {
    const why = 'this bridge knows no Machines of v1';
    expect(await send(aServer(), QUARANTINE, {}, 'v1')).toEqual({ kind: 'refused', why });
  });
});

test('an approval is written in place of a rejection, and the list says what it is for', async () => {
  const code = codeOf('u', 'provision', {});
  const server = aServer({ annotations: { 'temper/approval-rejected': `${code} bob no` } });
  const awaits = { for: 'approval', code, does: 'write an image', of: [] } as const;
  await createSteeringActivities(server.deps).steerHost({
    object: HOST,
    id: 'm1',
    requestedAt: NOW,
    known: { state: 'available', hasError: false, awaits },
    message: { name: 'approve', code, ...ASKED },
  });
  const { annotations } = server.cr().metadata;
  expect(annotations).toMatchObject({ 'temper/approval-given': JSON.stringify({ code, ...ASKED }) });
  expect(annotations).not.toHaveProperty('temper/approval-rejected');
  expect(historyOf(annotations).map(({ what, by, reason }) => [what, by, reason])).toEqual([
    ['reject', 'bob', `${code}: no`],
    ['approve', 'ada', `${code}: the fan is loud`],
  ]);
  expect(server.events).toMatchObject([{ reason: 'Approved', message: `approve by ada: ${code}: the fan is loud` }]);
});

describe('the list on a host', () => {
  test('gets what is annotated without a message, with an Event, once', async () => {
    const server = aServer({ annotations: { 'temper/quarantine': 'loud' } });
    // The newer object follows, with the list: the run learns of that.
    expect(await server.note()).toBe('written');
    expect(await server.note()).toBeUndefined();
    expect(server.patches).toHaveLength(1);
    expect(server.events).toMatchObject([{ reason: 'Quarantined', message: 'quarantine by an annotation: loud' }]);
  });

  test('is left alone after a message, for a host that nobody steers, and for a paused one', async () => {
    const steered = aServer();
    await steer(steered, QUARANTINE);
    await steered.note();
    expect(steered.patches).toHaveLength(1);
    for (const annotations of [{}, { 'baremetalhost.metal3.io/paused': '', 'temper/quarantine': 'loud' }] as Record<
      string,
      string
    >[]) {
      const server = aServer({ annotations });
      await server.note();
      expect(server.patches).toEqual([]);
    }
  });

  test('that a policy forbids keeps the host from nothing', async () => {
    const server = aServer({ annotations: { 'temper/quarantine': 'loud' }, refusing: [403] });
    await expect(server.note()).resolves.toBeUndefined();
    expect(server.events).toEqual([]);
    const changed = aServer({ annotations: { 'temper/quarantine': 'loud' }, refusing: [409] });
    expect(await changed.note()).toBe('written');
    const down = aServer({ annotations: { 'temper/quarantine': 'loud' }, refusing: [500] });
    await expect(down.note()).rejects.toThrow('500');
  });
});

describe('an annotation that asks for what its message would be refused', () => {
  const WHY =
    'nothing is in flight that could be aborted (it is provisioned): quarantine keeps anything from being begun';

  test('is removed, and list and Event have the reason of the message', async () => {
    const server = aServer({ annotations: { 'temper/abort': 'wrong image' } });
    await server.note();
    const { annotations } = server.cr().metadata;
    expect(annotations).not.toHaveProperty('temper/abort');
    expect(historyOf(annotations)).toEqual([
      { at: '2026-01-01T00:00:00Z', what: 'abort', by: '', reason: 'wrong image', refused: WHY },
    ]);
    const message = `abort by an annotation: wrong image; refused: ${WHY}`;
    expect(server.events).toMatchObject([{ reason: 'SteeringRefused', message, type: 'Warning' }]);
    expect(await steer(aServer(), { name: 'abort', ...ASKED })).toEqual({ kind: 'refused', why: WHY });
    await server.note();
    expect(server.patches).toHaveLength(1);
    expect(server.refusals).toEqual(['abort']);
  });

  test('is one of a retry where nothing has failed', async () => {
    const server = aServer({ annotations: { 'temper/retry': 'again' } });
    await server.note();
    const why = 'nothing has failed (it is provisioned): it goes on by itself when something changes';
    expect(server.events).toMatchObject([{ message: `retry by an annotation: again; refused: ${why}` }]);
    expect(server.cr().metadata.annotations).not.toHaveProperty('temper/retry');
    const parked = aServer({
      annotations: { 'temper/retry': 'again', 'temper/abort': 'wrong' },
      state: 'provisioning',
    });
    await parked.note();
    expect(parked.cr().metadata.annotations['temper/retry']).toBe('again');
  });

  test('is one of a deletion by force before there is a deletion, so that a later one is not forced', async () => {
    const server = aServer({ annotations: { 'temper/force-delete': 'node-1' } });
    await server.note();
    const why = 'it is not being deleted: kubectl delete bmh node-1 comes first';
    expect(server.events).toMatchObject([{ message: `forceDelete by an annotation: node-1; refused: ${why}` }]);
    const metadata = { deletionTimestamp: '2026-01-01T00:00:00Z' };
    const leaving = aServer({ annotations: { 'temper/force-delete': 'node-1' }, metadata });
    await leaving.note();
    expect(leaving.cr().metadata.annotations['temper/force-delete']).toBe('node-1');
  });

  test('is judged once: what was accepted parks the host in every state that follows', async () => {
    const server = aServer({ annotations: { 'temper/abort': 'wrong image' }, state: 'provisioning' });
    await server.note();
    const { annotations } = server.cr().metadata;
    const later = aServer({ annotations: { ...annotations, 'temper/abort': 'another reason' } });
    await later.note();
    expect(later.cr().metadata.annotations['temper/abort']).toBe('another reason');
    const moved = aServer({ annotations });
    await moved.note();
    expect(moved.patches).toEqual([]);
  });
});
