import { describe, expect, test } from 'vitest';
import { aHost, aNode, CHANCE, IMAGE, NOW, provisionedWith } from '../../../test/builders/host.ts';
import { hostEntity } from '../entity.ts';
import type { HostMemory } from '../memory/memory.ts';
import { absorb } from '../memory/take-in.ts';
import { nextStep } from '../next-step.ts';
import { fail, park } from '../outcome/failure.ts';
import { record, startOf } from '../record.ts';
import { show } from '../report/show.ts';
import type { HostStep } from '../step.ts';

const QUARANTINE = { 'temper/quarantine': '{"by":"ada","reason":"the fan is loud"}' };
const ABORT = { 'temper/abort': '{"by":"ada","reason":"wrong image"}' };
const RETRY = { 'temper/retry': '' };
const DELETED = { deletionTimestamp: '2026-01-01T00:00:00Z' };
const WANTED = { online: true, image: IMAGE };
const order = {} as never;

/** The memory of a step that replaces it. */
function memoryAfter(step: HostStep): HostMemory {
  if (step.kind !== 'become' && step.kind !== 'note') throw new Error(`the step is ${step.kind}`);
  return step.memory;
}

describe('a host in quarantine', () => {
  const waits = { kind: 'wait', reason: 'in quarantine, by ada: the fan is loud; release ends that' };

  test.each<[string, HostMemory]>([
    ['is not deployed', aHost({ state: 'available', seen: { spec: WANTED, annotations: QUARANTINE } })],
    [
      'is not powered off',
      aHost({
        state: 'provisioned',
        node: aNode({ poweredOn: true }),
        status: { poweredOn: true, provisioning: provisionedWith() },
        seen: { spec: { ...WANTED, online: false }, annotations: QUARANTINE },
      }),
    ],
    [
      'is not deprovisioned',
      aHost({
        state: 'provisioned',
        status: { provisioning: provisionedWith() },
        seen: { spec: { online: true }, annotations: QUARANTINE },
      }),
    ],
    ['is not inspected', aHost({ state: 'inspecting', seen: { annotations: QUARANTINE } })],
    ['is not deleted', aHost({ state: 'available', seen: { ...DELETED, annotations: QUARANTINE } })],
    [
      'is not deployed after its power was changed',
      aHost({ state: 'available', finished: { name: 'power' }, seen: { spec: WANTED, annotations: QUARANTINE } }),
    ],
  ])('%s, and says who asked for that', (_, memory) => {
    expect(nextStep(memory, NOW)).toEqual(waits);
  });

  test('ends what is in flight, and begins nothing in the state that follows', () => {
    const running = aHost({ state: 'provisioning', seen: { spec: WANTED, annotations: QUARANTINE } });
    expect(hostEntity.stillWanted?.(running, { name: 'provision', order: { image: IMAGE } as never })).toBe(true);
    const step = nextStep({ ...running, finished: { name: 'provision', image: IMAGE } }, NOW);
    expect(step).toMatchObject({ kind: 'become', state: 'provisioned' });
    expect(nextStep(memoryAfter(step), NOW)).toEqual(waits);
  });

  test('returns its slot in Ironic', () => {
    const slot = { ticket: 't', code: '', needs: [], requestedAt: 0, state: 'granted' } as const;
    const memory = aHost({ state: 'inspecting', slot, seen: { annotations: QUARANTINE } });
    expect(nextStep(memory, NOW)).toMatchObject({
      kind: 'act',
      action: { name: 'return place', order: { lock: 'slots' } },
    });
  });

  test('goes on when it is released, and does not wait out a backoff', () => {
    const failed = fail(
      aHost({ state: 'inspecting', seen: { annotations: QUARANTINE } }),
      'inspection error',
      'no agent',
      CHANCE,
    );
    const released = absorb(failed, { ...failed.seen, annotations: {} });
    expect(nextStep(released, NOW)).toMatchObject({ kind: 'run', operation: { name: 'inspect' } });
  });
});

describe('an abort', () => {
  const running = aHost({ state: 'provisioning', seen: { spec: WANTED, annotations: ABORT } });

  test.each([
    ['inspect', false],
    ['prepare', false],
    ['provision', false],
    ['deprovision', false],
    ['delete', true],
    ['power', true],
    ['abort', true],
  ] as const)('ends %s: %s', (name, isLeft) => {
    expect(hostEntity.stillWanted?.(running, { name, order: { image: IMAGE } as never })).toBe(isLeft);
  });

  test('is told to Ironic once, and then the host is parked with the reason', () => {
    expect(nextStep(running, NOW)).toMatchObject({ kind: 'act', action: { name: 'abort' } });
    const node = aNode({ state: 'clean failed' });
    const aborted = record(running, { name: 'abort', order }, { kind: 'done', node }, CHANCE);
    expect(aborted.node).toEqual(node);
    expect(nextStep(aborted, NOW)).toEqual({
      kind: 'wait',
      reason: 'parked by an abort, by ada: wrong image; resume or retry goes on',
    });
    const again = absorb(absorb(aborted, { ...aborted.seen, annotations: {} }), aborted.seen);
    expect(nextStep(again, NOW)).toMatchObject({ kind: 'act', action: { name: 'abort' } });
  });

  test('parks the host also when Ironic refuses it or does not know the node', () => {
    for (const outcome of [{ kind: 'failed', message: 'no' } as const, { kind: 'lost' } as const]) {
      const aborted = record(running, { name: 'abort', order }, outcome, CHANCE);
      expect(nextStep(aborted, NOW)).toMatchObject({ kind: 'wait', reason: /parked/ as unknown });
      expect(aborted.status.errorType).toBeUndefined();
    }
  });

  test('is followed, once it is resumed, by an operation that takes the state of the node for no failure', () => {
    const aborted = { ...running, isAborted: true as const };
    const resumed = absorb(aborted, { ...aborted.seen, annotations: {} });
    const step = nextStep(resumed, NOW);
    expect(step).toMatchObject({ kind: 'run', operation: { name: 'provision', order: { retry: true } } });
    expect(startOf(resumed, { name: 'provision', order: { image: IMAGE } as never })).not.toHaveProperty('isAborted');
  });

  test('that is retried ends, and both annotations are handled', () => {
    const step = nextStep(
      { ...running, isAborted: true, seen: { ...running.seen, annotations: { ...ABORT, ...RETRY } } },
      NOW,
    );
    expect(step).toMatchObject({ kind: 'note', memory: { consumedAnnotations: ['temper/retry', 'temper/abort'] } });
    expect(nextStep(memoryAfter(step), NOW)).toMatchObject({ kind: 'run' });
  });
});

test('a host that is in quarantine and parked says both', () => {
  const annotations = { ...QUARANTINE, ...ABORT };
  const memory = aHost({ state: 'provisioning', isAborted: true, seen: { spec: WANTED, annotations } });
  expect(nextStep(memory, NOW)).toEqual({
    kind: 'wait',
    reason:
      'in quarantine, by ada: the fan is loud; release ends that; parked by an abort, by ada: wrong image; resume or retry goes on',
  });
});

describe('a retry', () => {
  test('ends a backoff now, and its annotation is handled', () => {
    const failed = fail(aHost({ state: 'inspecting' }), 'inspection error', 'no agent', CHANCE);
    expect(nextStep(failed, NOW)).toMatchObject({ kind: 'wait' });
    const asked = absorb(failed, { ...failed.seen, annotations: RETRY });
    const step = nextStep({ ...asked, retry: failed.retry }, NOW);
    expect(step).toMatchObject({ kind: 'note', memory: { retry: null, consumedAnnotations: ['temper/retry'] } });
    expect(nextStep(memoryAfter(step), NOW)).toMatchObject({ kind: 'run' });
  });

  test('counts again with the same text when it is another one, and is removed by its own name', () => {
    const failed = fail(aHost({ state: 'inspecting' }), 'inspection error', 'no agent', CHANCE);
    const asked = absorb(failed, { ...failed.seen, annotations: RETRY, retry: 'm1 again' });
    const first = memoryAfter(nextStep(asked, NOW));
    expect(show(first)).toMatchObject({ annotations: { 'temper/retry': null }, retryTaken: 'm1 again' });
    const failedAgain = fail(first, 'inspection error', 'no agent', CHANCE);
    // The annotation was removed and set again before a snapshot without it.
    const same = absorb(failedAgain, { ...failedAgain.seen, resourceVersion: '101' });
    expect(nextStep(same, NOW)).toMatchObject({ kind: 'wait' });
    const second = absorb(same, { ...same.seen, retry: 'm2 again' });
    const step = nextStep({ ...second, retry: failedAgain.retry }, NOW);
    expect(step).toMatchObject({ kind: 'note', memory: { retry: null, consumedAnnotations: ['temper/retry'] } });
    expect(show(memoryAfter(step))).toMatchObject({ retryTaken: 'm2 again' });
  });

  test('gives an image that was given up its attempts back', () => {
    const given = park(
      aHost({ state: 'available', status: { provisioningFailCount: 5 }, seen: { spec: WANTED, annotations: RETRY } }),
      'provisioning error',
      'provisioning failed 5 times',
      NOW,
    );
    const step = nextStep({ ...given, deploymentFailure: 'no disk' }, NOW);
    expect(memoryAfter(step)).toMatchObject({ status: { provisioningFailCount: 0 } });
    expect(memoryAfter(step)).not.toHaveProperty('deploymentFailure');
  });

  test('of a paused host waits until it is resumed', () => {
    const paused = { ...RETRY, 'baremetalhost.metal3.io/paused': '' };
    expect(nextStep(aHost({ state: 'inspecting', seen: { annotations: paused } }), NOW)).toMatchObject({
      kind: 'wait',
    });
  });
});

describe('a deletion by force', () => {
  const FORCED = { ...DELETED, annotations: { 'temper/force-delete': 'node-1' } };

  test('ends whatever runs, and goes straight to the last state', () => {
    const memory = aHost({ state: 'deprovisioning', seen: FORCED });
    for (const name of ['deprovision', 'delete', 'power', 'register', 'abort'] as const)
      expect(hostEntity.stillWanted?.(memory, { name, order })).toBe(false);
    expect(nextStep(memory, NOW)).toMatchObject({ kind: 'become', state: 'deleting' });
  });

  test('deletes the node if that succeeds at once, and lets the host go in any case, with a Warning', () => {
    const memory = aHost({ state: 'deleting', seen: FORCED });
    const step = nextStep(memory, NOW);
    expect(step).toMatchObject({ kind: 'act', action: { name: 'discard', order: { isForced: true } } });
    const task = { name: 'discard', order } as const;
    const gone = record(memory, task, { kind: 'lost' }, CHANCE);
    expect(gone.events).toEqual([]);
    const left = record(memory, task, { kind: 'failed', message: 'no answer in time' }, CHANCE);
    expect(left.events).toMatchObject([
      { reason: 'NodeLeftBehind', message: /may still be in Ironic: no answer in time$/ as unknown, warning: true },
    ]);
    const unnamed = {
      ...memory,
      status: { ...memory.status, provisioning: { ...memory.status.provisioning, ID: '' } },
    };
    expect(record(unnamed, task, { kind: 'failed', message: 'no answer' }, CHANCE).events).toMatchObject([
      { message: 'node metal~node-1 may still be in Ironic: no answer' },
    ]);
    for (const next of [gone, left]) {
      expect(nextStep(next, NOW)).toMatchObject({ kind: 'act', action: { name: 'release' } });
      expect(nextStep({ ...next, finished: { name: 'release' } }, NOW)).toEqual({ kind: 'gone' });
    }
  });

  test('is stronger than a quarantine and an abort, and not than a pause', () => {
    const annotations = { ...FORCED.annotations, ...QUARANTINE, ...ABORT };
    expect(nextStep(aHost({ state: 'available', seen: { ...FORCED, annotations } }), NOW)).toMatchObject({
      kind: 'become',
      state: 'deleting',
    });
    const paused = { ...FORCED.annotations, 'baremetalhost.metal3.io/paused': '' };
    expect(nextStep(aHost({ state: 'available', seen: { ...FORCED, annotations: paused } }), NOW)).toMatchObject({
      kind: 'wait',
    });
  });

  test.each([
    ['is not deleted', { annotations: FORCED.annotations }],
    ['is another one', { ...DELETED, annotations: { 'temper/force-delete': 'node-2' } }],
    ['is not named', { ...DELETED, annotations: { 'temper/force-delete': '' } }],
  ])('does nothing to a host that %s', (_, seen) => {
    expect(nextStep(aHost({ state: 'available', seen }), NOW)).not.toMatchObject({ state: 'deleting' });
  });
});
