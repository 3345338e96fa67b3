import { describe, expect, test } from 'vitest';
import type { ProvisioningState } from '../../../api/baremetalhost/values.ts';
import { aHost, aNode, CHANCE, IMAGE, NOW, provisionedWith } from '../../../test/builders/host.ts';
import { observedNext, withKnown } from '../../entity/state.ts';
import { withPlaceAnswered } from '../approval/place-answered.ts';
import { hostEntity } from '../entity.ts';
import type { HostMemory } from '../memory/memory.ts';
import type { HostSnapshot } from '../memory/snapshot.ts';
import { nextStep } from '../next-step.ts';
import { fail, park } from '../outcome/failure.ts';
import { enter, errorCleared } from '../outcome/transition.ts';
import { startOf } from '../record.ts';
import { situationOf } from './situation.ts';

type Host = NonNullable<Parameters<typeof aHost>[0]>;

const STARTED = { start: '2026-01-01T00:00:00Z', end: null };
const NEVER = { start: null, end: null };
const history = (operation: string): Pick<HostMemory['status'], 'operationHistory'> => ({
  operationHistory: { register: NEVER, inspect: NEVER, provision: NEVER, deprovision: NEVER, [operation]: STARTED },
});
const on = { online: true };
const up = aNode({ state: 'active', poweredOn: true });
const deployed: Host = { state: 'provisioned', node: up, status: { poweredOn: true, provisioning: provisionedWith() } };
const deploying = (change: Partial<HostMemory['status']> = {}): Host => ({
  state: 'provisioning',
  status: { ...history('provision'), lastAttemptedImage: IMAGE, ...change },
  seen: { spec: { ...on, image: IMAGE } },
});
const failedDeployment = (count: number): HostMemory =>
  fail(aHost(deploying({ provisioningFailCount: count })), 'provisioning error', 'the disk is on fire', CHANCE);
const unlimited = { maxProvisioningRetries: 0, provisioningLimit: 3, buildsPreprovisioningImages: false };

describe('a host says', () => {
  test.each<[string, HostMemory]>([
    [
      'waiting for BMC details in spec.bmc',
      aHost({
        state: 'unmanaged',
        status: { operationalStatus: 'discovered' },
        seen: { spec: { bmc: { address: '', credentialsName: '' } } },
      }),
    ],
    [
      'registering with Ironic since 2026-01-01T00:00:00Z',
      aHost({ state: 'registering', status: history('register') }),
    ],
    ['inspecting the hardware since 2026-01-01T00:00:00Z', aHost({ state: 'inspecting', status: history('inspect') })],
    ['preparing the host for a deployment', aHost({ state: 'preparing' })],
    ['waiting for an image in spec.image', aHost({ state: 'available', node: up, seen: { spec: on } })],
    ['off, as spec.online says; waiting for an image in spec.image', aHost({ state: 'available' })],
    ['waiting for an image in spec.image', aHost({ state: 'available', seen: { spec: on } })],
    [
      'off, as spec.online says; waiting for spec.online',
      aHost({ state: 'available', seen: { spec: { image: IMAGE } } }),
    ],
    ['next: provisioning', aHost({ state: 'available', seen: { spec: { ...on, image: IMAGE } } })],
    ['deploying http://images/a.raw since 2026-01-01T00:00:00Z', aHost(deploying())],
    ['', aHost({ ...deployed, seen: { spec: { ...on, image: IMAGE } } })],
    ['', aHost({ ...deployed, node: { ...up, poweredOn: null }, seen: { spec: { ...on, image: IMAGE } } })],
    ['', aHost({ ...deployed, seen: { spec: { online: false, image: IMAGE } } })],
    [
      'off, as spec.online says; provisioned as desired',
      aHost({ ...deployed, node: { ...up, poweredOn: false }, seen: { spec: { image: IMAGE } } }),
    ],
    [
      'kept off until these annotations are removed: reboot.metal3.io/mine',
      aHost({
        ...deployed,
        node: { ...up, poweredOn: false },
        seen: { spec: { ...on, image: IMAGE }, annotations: { 'reboot.metal3.io/mine': '' } },
      }),
    ],
    [
      'removing the image since 2026-01-01T00:00:00Z',
      aHost({ state: 'deprovisioning', status: history('deprovision') }),
    ],
    [
      'powering off before the deletion',
      aHost({ state: 'powering off before delete', seen: { deletionTimestamp: 'x' } }),
    ],
    ['deleting the node from Ironic', aHost({ state: 'deleting', seen: { deletionTimestamp: 'x' } })],
    [
      'detached by the annotation baremetalhost.metal3.io/detached',
      aHost({
        ...deployed,
        status: { ...deployed.status, operationalStatus: 'detached' },
        seen: { annotations: { 'baremetalhost.metal3.io/detached': '' } },
      }),
    ],
  ])('%j', (words, memory) => {
    expect(situationOf(memory)).toBe(words);
    // What is written to a paused host stays.
    const paused = {
      ...memory.seen,
      annotations: { ...memory.seen.annotations, 'baremetalhost.metal3.io/paused': '' },
    };
    expect(situationOf({ ...memory, seen: paused })).toBe(words);
  });

  test('that it waits for a slot, without its place in the queue', () => {
    const needs = [{ budget: 'slots in Ironic', limit: 20 }];
    const waitsFor = { budget: 'slots in Ironic', limit: 20, held: 20, holders: [], ahead: 7 };
    const slot = { ticket: 't', code: '', needs, requestedAt: 0, state: 'queued', waitsFor } as const;
    const delayed = aHost({ state: 'inspecting', slot, status: { operationalStatus: 'delayed' } });
    const words = 'waiting for one of 20 slots in Ironic';
    expect(situationOf(delayed)).toBe(words);
    const available = aHost({
      state: 'available',
      slot,
      status: { operationalStatus: 'delayed' },
      seen: { spec: { ...on, image: IMAGE } },
    });
    expect(situationOf(available)).toBe(`${words} before provisioning`);
  });

  test('since when it waits for a slot, also after it has asked again', () => {
    const waitsFor = { budget: 'slots in Ironic', limit: 20, held: 20, holders: [], ahead: 2 };
    const spec = { ...on, bmc: { address: 'ipmi://192.0.2.1', credentialsName: 'node-1-bmc' } };
    const after = (memory: HostMemory, now: number): HostMemory => {
      const step = nextStep(memory, now);
      if (step.kind === 'note') return step.memory;
      if (step.kind !== 'act' || step.action.name !== 'ask for place') throw new Error(`it does not ask: ${step.kind}`);
      const { action } = step;
      return startOf(memory, { ...action, order: { ...action.order, ticket: 'mine' } });
    };
    const asked = after(aHost({ state: 'inspecting', seen: { spec } }), NOW);
    const queued = after(
      withPlaceAnswered(asked, { lock: 'slots', kind: 'queued', ticket: 'mine', waitsFor }),
      NOW + 1_000,
    );
    const words = 'waiting for one of 20 slots in Ironic since 2026-01-01T00:00:00Z';
    expect(situationOf(queued)).toBe(words);
    const askedAgain = after(queued, NOW + 700_000);
    expect(askedAgain.slot?.requestedAt).toBe(NOW + 700_000);
    expect(situationOf(askedAgain)).toBe(words);
  });

  test('since when it is in a state that has no entry in operationHistory', () => {
    const entered = (state: ProvisioningState, change: Host = {}): string =>
      situationOf(enter(aHost({ state: 'inspecting', ...change }), state, NOW).memory);
    expect(entered('preparing')).toBe('preparing the host for a deployment since 2026-01-01T00:00:00Z');
    const seen = { deletionTimestamp: 'x' };
    expect(entered('powering off before delete', { seen })).toBe(
      'powering off before the deletion since 2026-01-01T00:00:00Z',
    );
    expect(entered('deleting', { seen })).toBe('deleting the node from Ironic since 2026-01-01T00:00:00Z');
  });

  test('since when it fails, which is the first of the same errors in a row', () => {
    const later = { ...CHANCE, now: NOW + 600_000 };
    const first = fail(aHost({ state: 'registering' }), 'registration error', 'no route', CHANCE);
    const second = fail(first, 'registration error', 'no route', later);
    const since = 'since 2026-01-01T00:00:00Z; next try at';
    expect(situationOf(second)).toMatch(new RegExp(`^registration error \\(failure 2\\): no route; ${since} 2026-`));
    const other = fail(second, 'inspection error', 'no agent', later);
    expect(situationOf(other)).toContain('no agent; since 2026-01-01T00:10:00Z; next try at');
    const again = fail(errorCleared(second), 'registration error', 'no route', later);
    expect(situationOf(again)).toContain('no route; since 2026-01-01T00:10:00Z; next try at');
  });

  test('which failure it is, the last error, and when it tries again', () => {
    const error = 'the disk is on fire; since 2026-01-01T00:00:00Z; next try at 2026-01-01T00:02:00Z';
    expect(situationOf(failedDeployment(1))).toBe(`provisioning error (failure 2 of 5 for this image): ${error}`);
    const known = failedDeployment(1);
    const free = { ...known, seen: { ...known.seen, settings: unlimited } };
    expect(situationOf(free)).toBe(`provisioning error (failure 2 for this image): ${error}`);
    const refused = fail(aHost({ state: 'registering' }), 'registration error', 'no route', CHANCE);
    const since = 'since 2026-01-01T00:00:00Z';
    const words = `registration error (failure 1): no route; ${since}`;
    expect(situationOf(refused)).toBe(`${words}; next try at 2026-01-01T00:02:00Z`);
    expect(situationOf({ ...refused, retry: null })).toBe(words);
    const missing = park(aHost({ state: 'registering' }), 'registration error', 'no Secret', NOW);
    expect(situationOf(missing)).toBe(`registration error (failure 1): no Secret; ${since}; waits for a change`);
    // The run began after the failure.
    const { errorSince: _, ...begun } = refused;
    expect(situationOf({ ...begun, retry: null })).toBe('registration error (failure 1): no route');
  });

  test('after a failed deployment, which attempt it is and why the last one failed', () => {
    const again = { ...aHost(deploying({ provisioningFailCount: 2 })), deploymentFailure: 'the disk is on fire' };
    const since = 'since 2026-01-01T00:00:00Z';
    expect(situationOf(again)).toBe(`deploying http://images/a.raw ${since}, attempt 3 of 5: the disk is on fire`);
    const removing = aHost({
      state: 'deprovisioning',
      status: { ...history('deprovision'), provisioningFailCount: 2 },
    });
    expect(situationOf({ ...removing, deploymentFailure: 'the disk is on fire' })).toBe(
      `removing the image ${since} after failure 2 of 5 for this image: the disk is on fire`,
    );
  });

  test.each(['available', 'ready'] as const)('that the tries for an image are used up, in the state %s', (state) => {
    const seen = { spec: { ...on, image: IMAGE } };
    const given = park(aHost({ state, status: { provisioningFailCount: 5 }, seen }), 'provisioning error', 'x', NOW);
    expect(situationOf(given)).toBe(
      'provisioning error (failure 5 of 5 for this image): x; since 2026-01-01T00:00:00Z; waits for a change',
    );
  });

  test('who holds it back, and the error besides', () => {
    const annotations = { 'temper/quarantine': '{"by":"ada","reason":"the fan is loud"}' };
    const held = 'in quarantine, by ada: the fan is loud; release ends that';
    expect(situationOf(aHost({ state: 'available', seen: { annotations } }))).toBe(held);
    const failed = fail(
      aHost({ state: 'registering', seen: { annotations } }),
      'registration error',
      'no route',
      CHANCE,
    );
    expect(situationOf(failed)).toContain(`${held}; registration error (failure 1): no route`);
  });

  test('since when it is held, by each of its holds', () => {
    const hold = (seen: HostMemory['seen'], annotations: object): HostSnapshot => ({
      ...seen,
      annotations: { ...seen.annotations, ...annotations },
    });
    const taken = (memory: HostMemory, annotations: object, now: number): HostMemory => {
      const order = { epoch: 1, number: 2 };
      const state = withKnown(undefined, { seen: memory.seen, order, begun: order, memory }, hostEntity, NOW);
      const observation = { snapshot: hold(memory.seen, annotations), order: { epoch: 1, number: 3 } };
      return observedNext(state, observation, hostEntity, now)?.memory ?? memory;
    };
    const free = aHost({ state: 'available', isAborted: true });
    const quarantined = taken(free, { 'temper/quarantine': 'the fan is loud' }, NOW);
    const loud = 'in quarantine since 2026-01-01T00:00:00Z, by an annotation: the fan is loud; release ends that';
    expect(situationOf(quarantined)).toBe(loud);
    // The reason of the wait has no time: the details of the run show since when the run waits.
    expect(nextStep(quarantined, NOW)).toMatchObject({
      reason: 'in quarantine, by an annotation: the fan is loud; release ends that',
    });
    const parked = { ...taken(quarantined, { 'temper/abort': 'wrong image' }, NOW + 60_000), isAborted: true as const };
    expect(situationOf(parked)).toBe(
      `${loud}; parked by an abort since 2026-01-01T00:01:00Z, by an annotation: wrong image; resume or retry goes on`,
    );
    // Another snapshot, or another reason, is the same hold.
    expect(situationOf(taken(parked, { 'temper/quarantine': 'the fan is loud' }, NOW + 120_000))).toBe(
      situationOf(parked),
    );
  });

  test('no more than the beginning of a long error, and nothing of the secrets in a URL', () => {
    const long = fail(aHost({ state: 'registering' }), 'registration error', 'x'.repeat(2_000), CHANCE);
    expect(situationOf(long).length).toBeLessThan(700);
    const url = 'https://me:canary@images/a?sig=canary';
    const told = aHost(deploying({ lastAttemptedImage: { ...IMAGE, url } }));
    expect(situationOf(told)).toBe('deploying https://images/a since 2026-01-01T00:00:00Z');
  });
});
