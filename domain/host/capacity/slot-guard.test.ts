import { describe, expect, test } from 'vitest';
import { aHost, aNode, aSnapshot, CHANCE, IMAGE, NOW, provisionedWith } from '../../../test/builders/host.ts';
import { said } from '../../../test/builders/step.ts';
import { SLOTS_IN_IRONIC } from '../../lock/policy.ts';
import { type PlaceAnswer, withPlaceAnswered } from '../approval/place-answered.ts';
import { hostEntity } from '../entity.ts';
import type { HostMemory, Place } from '../memory/memory.ts';
import { begin } from '../memory/take-in.ts';
import { nextStep } from '../next-step.ts';
import { fail } from '../outcome/failure.ts';
import { record, startOf } from '../record.ts';
import { show } from '../report/show.ts';

const LIMIT = 20;
const bmc = { address: 'ipmi://192.0.2.1', credentialsName: 'node-1-bmc' };
const spec = { online: true, image: IMAGE, bmc };
const needs = [{ budget: SLOTS_IN_IRONIC, limit: LIMIT }];
const waitsFor = { budget: SLOTS_IN_IRONIC, limit: LIMIT, held: LIMIT, holders: [], ahead: 4 };
const granted: Place = { ticket: 'mine', code: '', needs, requestedAt: NOW, state: 'granted' };
const queued: Place = { ...granted, state: 'queued', waitsFor };
const answered = (memory: HostMemory, kind: 'granted' | 'queued', ticket = 'mine'): HostMemory => {
  const answer: PlaceAnswer = { lock: 'slots', ticket, ...(kind === 'granted' ? { kind } : { kind, waitsFor }) };
  return withPlaceAnswered(memory, answer);
};

type Host = NonNullable<Parameters<typeof aHost>[0]>;
const ipmiHost = (host: Host): HostMemory => {
  const seen = { ...host.seen, spec: { ...spec, ...host.seen?.spec } };
  return aHost({ status: { lastAttemptedImage: IMAGE }, ...host, seen });
};
const does = (host: Host): string => said(nextStep(ipmiHost(host), NOW));

/** Begins the due action, with a drawn ticket if it needs one, and returns the host while that action runs. */
function begun(memory: HostMemory, now: number = NOW): HostMemory {
  const step = nextStep(memory, now);
  if (step.kind !== 'act') throw new Error(`it should act, not ${said(step)}`);
  const { action } = step;
  const isNew = action.name === 'ask for place' && action.order.ticket === '';
  return startOf(memory, isNew ? { ...action, order: { ...action.order, ticket: 'drawn' } } : action);
}

describe('a slot in Ironic is asked for', () => {
  test.each<[string, Host]>([
    ['before provisioning is entered', { state: 'available' }],
    [
      'before deprovisioning is entered',
      { state: 'provisioned', seen: { spec: { image: { url: '' } } }, status: { provisioning: provisionedWith() } },
    ],
    ['to go on provisioning, when there is none', { state: 'provisioning' }],
    ['to go on inspecting, when there is none', { state: 'inspecting' }],
    ['to go on deprovisioning, when there is none', { state: 'deprovisioning' }],
  ])('%s', (_, host) => {
    expect(does(host)).toBe('ask for slot');
    expect(does({ ...host, slot: granted })).toMatch(/^(become|run) /);
  });
  test('before inspection is entered', () => {
    const { registration } = ipmiHost({ state: 'available' });
    expect(does({ state: 'registering', registration })).toBe('ask for slot');
    expect(does({ state: 'registering', registration, slot: granted })).toBe('become inspecting');
  });
  test.each(['redfish://192.0.2.1', 'idrac-redfish://192.0.2.1', 'fake-hardware://one'])(
    'by hosts at %s',
    (address) => {
      expect(does({ state: 'available', seen: { spec: { bmc: { ...bmc, address } } } })).toBe('ask for slot');
    },
  );
  test.each(['redfish-virtualmedia://192.0.2.1', 'idrac-virtualmedia://192.0.2.1', 'redfish-uefihttp://192.0.2.1'])(
    'never by hosts at %s, which boot an ISO',
    (address) => {
      expect(does({ state: 'available', seen: { spec: { bmc: { ...bmc, address } } } })).toBe('become provisioning');
    },
  );
  test('never where there is no limit, and a slot from before is returned', () => {
    const { provisioningLimit: _, ...settings } = ipmiHost({ state: 'available' }).seen.settings;
    const unlimited = (host: Host): Host => ({ ...host, seen: { settings } });
    expect(does(unlimited({ state: 'available' }))).toBe('become provisioning');
    expect(does(unlimited({ state: 'provisioning' }))).toMatch(/^run /);
    expect(does(unlimited({ state: 'provisioning', slot: granted }))).toBe('return slot');
  });
  test('never for what Ironic does without the network', () => {
    expect(does({ state: 'preparing' })).toBe('become available');
    expect(
      does({ state: 'provisioned', node: aNode({ state: 'active' }), status: { provisioning: provisionedWith() } }),
    ).toBe('power');
  });
  test('with the node and the limit, and with a ticket that is yet to be drawn', () => {
    expect(nextStep(ipmiHost({ state: 'available' }), NOW)).toMatchObject({
      action: { order: { lock: 'slots', ticket: '', nodeId: aNode().id, needs } },
    });
  });
  test('again after ten minutes, and at once when another limit is configured, with the same ticket', () => {
    const waiting = ipmiHost({ state: 'available', slot: queued, status: { operationalStatus: 'delayed' } });
    expect(nextStep(waiting, NOW)).toMatchObject({ kind: 'wait', until: NOW + 600_000 });
    expect(nextStep(waiting, NOW + 600_000)).toMatchObject({
      action: { name: 'ask for place', order: { lock: 'slots', ticket: 'mine' } },
    });
    const settings = { ...waiting.seen.settings, provisioningLimit: 5 };
    expect(nextStep({ ...waiting, seen: { ...waiting.seen, settings } }, NOW)).toMatchObject({
      action: { name: 'ask for place', order: { ticket: 'mine', needs: [{ limit: 5 }] } },
    });
  });
});

describe('a host without a slot', () => {
  test('is not called delayed before it has an answer', () => {
    const asking = begun(ipmiHost({ state: 'available' }));
    expect(nextStep(asking, NOW)).toMatchObject({ kind: 'wait', reason: 'asking whether Ironic has a free slot' });
    expect(asking.status.operationalStatus).toBe('OK');
  });
  test('shows nothing new for ten seconds after its request', () => {
    const asking = ipmiHost({ state: 'available', slot: { ...granted, state: 'requested' } });
    const quiet = { kind: 'wait', reason: 'asking whether Ironic has a free slot', quiet: true };
    expect(nextStep(asking, NOW + 9_999)).toEqual({ ...quiet, until: NOW + 10_000 });
    expect(nextStep(asking, NOW + 10_000)).not.toHaveProperty('quiet');
  });
  test('is delayed, stays in its state without an error, and says where in line it is', () => {
    const told = answered(begun(ipmiHost({ state: 'available' })), 'queued', 'drawn');
    const step = nextStep(told, NOW);
    if (step.kind !== 'note') throw new Error('it should be noted');
    expect(step.memory.status).toMatchObject({ operationalStatus: 'delayed', errorMessage: '', errorCount: 0 });
    expect(step.memory.status.provisioning.state).toBe('available');
    expect(show(step.memory)).not.toEqual(show(told));
    expect(nextStep(step.memory, NOW)).toMatchObject({
      kind: 'wait',
      reason: 'waiting for one of 20 slots in Ironic, position 5 in the queue',
    });
  });
  test('is delayed and asks again later when there is no room in the line', () => {
    const asking = begun(ipmiHost({ state: 'available' }));
    const told = noted(withPlaceAnswered(asking, { lock: 'slots', kind: 'refused', ticket: 'drawn', waiting: 12_000 }));
    expect(told.status.operationalStatus).toBe('delayed');
    expect(nextStep(told, NOW)).toEqual({
      kind: 'wait',
      until: NOW + 600_000,
      reason:
        'waiting for one of 20 slots in Ironic, 12000 hosts wait already, and there is no room for more; it asks again every ten minutes',
    });
    expect(nextStep(told, NOW + 600_000)).toMatchObject({ action: { order: { lock: 'slots', ticket: 'drawn' } } });
  });
  test('is OK again and goes on once it has one', () => {
    const delayed = ipmiHost({
      state: 'available',
      slot: queued,
      status: { operationalStatus: 'delayed', lastAttemptedImage: IMAGE },
    });
    const step = nextStep(answered(delayed, 'granted'), NOW);
    if (step.kind !== 'note') throw new Error('it should be noted');
    expect(step.memory.status.operationalStatus).toBe('OK');
    expect(said(nextStep(step.memory, NOW))).toBe('become provisioning');
  });
  test('still shows, once it goes on, the error of the attempt it repeats', () => {
    const failed = fail(ipmiHost({ state: 'inspecting', slot: queued }), 'inspection error', 'no disk', CHANCE);
    const delayed = { ...failed, retry: null, status: { ...failed.status, operationalStatus: 'delayed' as const } };
    const step = nextStep(answered(delayed, 'granted'), NOW);
    if (step.kind !== 'note') throw new Error('it should be noted');
    expect(step.memory.status).toMatchObject({ operationalStatus: 'error', errorMessage: 'no disk' });
    expect(nextStep(step.memory, NOW)).toMatchObject({ operation: { name: 'inspect', order: { retry: true } } });
  });
});

describe('a delayed host', () => {
  const status = { operationalStatus: 'delayed', lastAttemptedImage: IMAGE } as const;
  const deletionTimestamp = '2026-01-01T00:00:00Z';
  test.each(['registering', 'inspecting', 'available'] as const)('in %s can be deleted without a slot', (state) => {
    const host = ipmiHost({ state, status, slot: queued, seen: { deletionTimestamp } });
    const leaving = record(begun(host), dueOf(host), { kind: 'done' }, CHANCE);
    expect(leaving.slot).toBeUndefined();
    expect(said(nextStep(leaving, NOW))).toBe('note');
    expect(said(nextStep(noted(leaving), NOW))).toMatch(/^become (deleting|powering off before delete)$/);
  });
  test('that runs something waits for a slot to be deprovisioned', () => {
    const host = ipmiHost({ state: 'provisioned', status, slot: queued, seen: { deletionTimestamp } });
    expect(said(nextStep(host, NOW))).toBe('wait');
  });
  test('is OK and returns its place when nothing is desired any more', () => {
    const host = ipmiHost({
      state: 'available',
      status: { operationalStatus: 'delayed' },
      slot: queued,
      seen: { spec: { online: false, image: { url: '' } } },
    });
    const settled = noted(host);
    expect(settled.status.operationalStatus).toBe('OK');
    expect(nextStep(settled, NOW)).toMatchObject({
      action: { name: 'return place', order: { lock: 'slots', tickets: ['mine'] } },
    });
  });
  test('known from its status alone, as after a lost database, requests a slot again and stays delayed', () => {
    const host = ipmiHost({ state: 'available', status });
    expect(said(nextStep(host, NOW))).toBe('ask for slot');
    expect(begun(host).status.operationalStatus).toBe('delayed');
  });
});

describe('a slot is given back', () => {
  test.each<[string, Host]>([
    ['when inspection is done', { state: 'inspecting', finished: { name: 'inspect' } }],
    ['when the image is deployed', { state: 'provisioning', finished: { name: 'provision', image: IMAGE } }],
    ['when the image is off', { state: 'deprovisioning', finished: { name: 'deprovision' } }],
    [
      'while the host is paused',
      { state: 'provisioning', seen: { annotations: { 'baremetalhost.metal3.io/paused': '' } } },
    ],
  ])('%s', (_, host) => {
    expect(does({ ...host, slot: granted })).toBe('return slot');
  });
  test('when the BareMetalHost is gone', () => {
    expect(hostEntity.afterVanishing?.(ipmiHost({ state: 'provisioning', slot: granted }))).toMatchObject({
      name: 'return place',
      order: { lock: 'slots' },
    });
    expect(hostEntity.afterVanishing?.(ipmiHost({ state: 'provisioning' }))).toBeUndefined();
  });
  test('while a failed attempt waits to be repeated', () => {
    expect(
      said(nextStep(fail(ipmiHost({ state: 'provisioning', slot: granted }), 'provisioning error', 'x', CHANCE), NOW)),
    ).toBe('return slot');
  });
  test('not between a failed deployment and taking it down', () => {
    const errorType = 'provisioning error' as const;
    expect(does({ state: 'provisioning', slot: granted, status: { errorType } })).toBe('become deprovisioning');
  });
  test('not for a registration on the way', () => {
    expect(
      does({
        state: 'provisioning',
        slot: granted,
        registration: null,
        status: { operationHistory: { register: { start: '2026-01-01T00:00:00Z', end: null } } as never },
      }),
    ).toBe('register');
  });
  test('by the host that took the place of a recreated one', () => {
    const memory = begin(
      aSnapshot({ uid: 'uid-2', resourceVersion: '200' }),
      ipmiHost({ state: 'provisioning', slot: granted }),
    );
    expect(memory.slot).toBeUndefined();
    expect(nextStep(memory, NOW)).toMatchObject({
      action: { name: 'return place', order: { lock: 'slots', tickets: ['mine'] } },
    });
  });
  test('when it comes after the host gave up, once', () => {
    const host = ipmiHost({ state: 'available', slot: queued, seen: { spec: { online: false } } });
    const gone = begun(host);
    const late = answered(gone, 'granted');
    expect(late).toBe(gone);
    const left = record(late, dueOf(host), { kind: 'done' }, CHANCE);
    expect(left.slotsToReturn).toBeUndefined();
    const again = answered(left, 'granted');
    expect(nextStep(again, NOW)).toMatchObject({
      action: { name: 'return place', order: { lock: 'slots', tickets: ['mine'] } },
    });
    expect(answered(left, 'queued')).toBe(left);
  });
  test('never because of an answer from before it was granted', () => {
    const host = ipmiHost({ state: 'provisioning', slot: granted });
    expect(answered(host, 'queued')).toBe(host);
  });
});

function dueOf(memory: HostMemory): Parameters<typeof record>[1] {
  const step = nextStep(memory, NOW);
  if (step.kind !== 'act') throw new Error('it should act');
  return step.action;
}

function noted(memory: HostMemory): HostMemory {
  const step = nextStep(memory, NOW);
  if (step.kind !== 'note') throw new Error('it should note something');
  return step.memory;
}
