import { describe, expect, test } from 'vitest';
import { aHost, aNode, aSnapshot, CHANCE, IMAGE, NOW, provisionedWith } from '../../../test/builders/host.ts';
import { type HostMemory } from '../memory/memory.ts';
import { absorb } from '../memory/take-in.ts';
import type { Task } from '../memory/task.ts';
import { nextStep } from '../next-step.ts';
import { record } from '../record.ts';
import type { HostOutcome, HostStep } from '../step.ts';

const KEY = 'reboot.metal3.io';
const FORCED = '{"force":true}';

interface Wish {
  readonly annotations?: Record<string, string>;
  readonly online?: boolean;
  readonly disablePowerOff?: boolean;
}

const seenWith = ({ annotations = {}, online = true, disablePowerOff = false }: Wish, image?: typeof IMAGE) => ({
  annotations,
  spec: { online, disablePowerOff, ...(image && { image }) },
});

const provisioned = (poweredOn: boolean, wish: Wish = {}, status: Partial<HostMemory['status']> = {}): HostMemory =>
  aHost({
    state: 'provisioned',
    node: aNode({ state: 'active', poweredOn }),
    status: { poweredOn, ...status, provisioning: provisionedWith() },
    seen: seenWith(wish, IMAGE),
  });

const available = (poweredOn: boolean, wish: Wish = {}): HostMemory =>
  aHost({ state: 'available', node: aNode({ poweredOn }), status: { poweredOn }, seen: seenWith(wish) });

const now = (memory: HostMemory): HostStep => nextStep(memory, NOW);

/** The order of the next power change. */
function ordered(memory: HostMemory): object {
  const step = now(memory);
  if (step.kind !== 'act' || step.action.name !== 'power') throw new Error(`no change of power: ${step.kind}`);
  const { host: _, nodeId: __, ...order } = step.action.order;
  return order;
}

/** After the task that comes next, and all that is concluded from it. */
function after(memory: HostMemory, outcome: HostOutcome): HostMemory {
  const step = now(memory);
  const task: Task | undefined = step.kind === 'act' ? step.action : step.kind === 'run' ? step.operation : undefined;
  if (task === undefined) throw new Error(`no task: ${step.kind}`);
  return record(memory, task, outcome, CHANCE);
}

const done = (poweredOn: boolean): HostOutcome => ({ kind: 'done', node: aNode({ state: 'active', poweredOn }) });

test('switching off a host that is not to be cleaned ends a cleaning', () => {
  const host = (automatedCleaningMode: 'metadata' | 'disabled', state: 'available' | 'powering off before delete') =>
    aHost({
      state,
      node: aNode({ poweredOn: true }),
      seen: {
        spec: { automatedCleaningMode },
        ...(state !== 'available' && { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      },
    });
  expect(ordered(host('disabled', 'available'))).toMatchObject({ on: false, cleaningDisabled: true });
  expect(ordered(host('disabled', 'powering off before delete'))).toMatchObject({ on: false, cleaningDisabled: true });
  expect(ordered(host('metadata', 'available'))).not.toHaveProperty('cleaningDisabled');
});

describe('a reboot annotation', () => {
  test.each([
    [{ [KEY]: '' }, 'soft'],
    [{ [KEY]: 'nonsense' }, 'soft'],
    [{ [KEY]: '{"mode":"hard"}' }, 'hard'],
    [{ [KEY]: '', [`${KEY}/a`]: '{"mode":"hard"}' }, 'hard'],
    [{ [`${KEY}/a`]: '', [`${KEY}/b`]: '{"mode":"soft"}' }, 'soft'],
  ] as const)('%j switches a provisioned host off (%s)', (annotations, mode) => {
    expect(ordered(provisioned(true, { annotations }))).toEqual({ on: false, mode, force: false });
  });

  test('switches an externally provisioned host off', () => {
    const host = aHost({
      state: 'externally provisioned',
      node: aNode({ state: 'active', poweredOn: true }),
      seen: { annotations: { [KEY]: '' }, spec: { online: true, externallyProvisioned: true } },
    });
    expect(ordered(host)).toMatchObject({ on: false });
  });

  test('of an available host counts only with force', () => {
    expect(now(available(true, { annotations: { [KEY]: '{"mode":"hard"}' } }))).toMatchObject({ kind: 'wait' });
    expect(ordered(available(true, { annotations: { [KEY]: FORCED } }))).toMatchObject({ on: false });
  });

  test('switches off hard when something failed before', () => {
    const wish = { annotations: { [KEY]: '' } };
    expect(ordered(provisioned(true, wish, { errorCount: 1 }))).toEqual({ on: false, mode: 'hard', force: false });
    const error = { errorCount: 1, errorType: 'power management error' } as const;
    expect(ordered(provisioned(true, wish, error))).toEqual({ on: false, mode: 'hard', force: true });
  });

  test('without a suffix is taken off once the host is off, and the host is shown to be off before it goes on', () => {
    const off = after(provisioned(true, { annotations: { [KEY]: '' } }), done(false));
    expect(off.status.poweredOn).toBe(false);
    const spent = now(off);
    if (spent.kind !== 'note') throw new Error('the annotation should be spent');
    expect(spent.memory.consumedAnnotations).toEqual([KEY]);
    expect(now(spent.memory)).toEqual({ kind: 'show' });
    expect(ordered({ ...spent.memory, shownPower: false })).toEqual({ on: true, mode: 'soft', force: false });
  });

  test('of a host that is off already is taken off, in available too', () => {
    for (const host of [
      provisioned(false, { annotations: { [KEY]: '' } }),
      available(false, { annotations: { [KEY]: '' } }),
    ]) {
      expect(now(host)).toMatchObject({ kind: 'note', memory: { consumedAnnotations: [KEY] } });
    }
  });

  test('with a suffix keeps the host off as long as it exists, and says so', () => {
    const annotations = { [`${KEY}/upgrade`]: '', [`${KEY}/audit`]: '' };
    const off = provisioned(false, { annotations });
    expect(now(off)).toEqual({
      kind: 'wait',
      reason: `kept off until these annotations are removed: ${KEY}/upgrade, ${KEY}/audit`,
    });
    const one = absorb(
      off,
      aSnapshot({ resourceVersion: '101', ...seenWith({ annotations: { [`${KEY}/audit`]: '' } }, IMAGE) }),
    );
    expect(now(one)).toMatchObject({ kind: 'wait' });
    const none = absorb(one, aSnapshot({ resourceVersion: '102', ...seenWith({}, IMAGE) }));
    expect(ordered(none)).toMatchObject({ on: true });
  });
});

describe('a host that is never to be switched off', () => {
  const wish = (annotations: Record<string, string>): Wish => ({ annotations, disablePowerOff: true });

  test('is rebooted instead, and the annotation is taken off at once', () => {
    const host = provisioned(true, wish({ [KEY]: '{"mode":"hard"}' }));
    expect(ordered(host)).toEqual({ on: true, mode: 'hard', force: false, rebootFor: [KEY] });
    const rebooted = after(host, done(true));
    expect(rebooted.consumedAnnotations).toEqual([KEY]);
    expect(rebooted.events).toMatchObject([{ reason: 'Reboot', message: 'Host rebooted' }]);
    expect(now(rebooted)).toMatchObject({ kind: 'wait' });
  });

  test('is rebooted once for an annotation with a suffix, which stays', () => {
    const rebooted = after(provisioned(true, wish({ [`${KEY}/a`]: '' })), done(true));
    expect(rebooted).toMatchObject({ consumedAnnotations: [], rebootedFor: [`${KEY}/a`] });
    expect(now(rebooted)).toEqual({ kind: 'wait', reason: 'provisioned as desired; spec.disablePowerOff keeps it on' });
    const without = absorb(rebooted, aSnapshot({ resourceVersion: '101', ...seenWith(wish({}), IMAGE) }));
    const again = absorb(
      without,
      aSnapshot({ resourceVersion: '102', ...seenWith(wish({ [`${KEY}/a`]: '' }), IMAGE) }),
    );
    expect(ordered(again)).toMatchObject({ rebootFor: [`${KEY}/a`] });
  });

  test('is not rebooted again for an annotation that was answered by a failure', () => {
    const failed = after(provisioned(true, wish({ [KEY]: '' })), { kind: 'failed', message: 'no BMC' });
    expect(failed.consumedAnnotations).toEqual([KEY]);
    expect(failed.status).toMatchObject({ errorType: 'power management error', errorMessage: 'no BMC' });
  });
});

describe('a failure of power', () => {
  const failed = after(provisioned(true, { online: false }), { kind: 'failed', message: 'no BMC' });

  test('is counted, waits, and is then overcome by force', () => {
    expect(failed.status).toMatchObject({
      errorType: 'power management error',
      errorCount: 1,
      operationalStatus: 'error',
    });
    expect(now(failed)).toMatchObject({ kind: 'wait', until: NOW + 120_000 });
    expect(ordered({ ...failed, retry: null })).toEqual({ on: false, mode: 'hard', force: true });
  });

  test('is over, and counted from zero, once the power is as desired', () => {
    const off = after({ ...failed, retry: null }, done(false));
    expect(off.status).toMatchObject({ operationalStatus: 'OK', errorCount: 1 });
    expect(now(off)).toMatchObject({ kind: 'note', memory: { status: { errorCount: 0, operationalStatus: 'OK' } } });
  });

  test.each([
    ['a suffixed reboot annotation is removed', { [`${KEY}/a`]: '' }, {}, true],
    ['a suffixed reboot annotation is added', {}, { [`${KEY}/a`]: '' }, true],
    ['the host is no longer to be detached', { 'baremetalhost.metal3.io/detached': '' }, {}, true],
    ['the unsuffixed one was taken off, as we do', { [KEY]: '' }, {}, false],
  ] as const)('when %s is tried again at once: (%j → %j) %s', (_, before, next, expected) => {
    const host = { ...provisioned(true, { annotations: before }), retry: { kind: 'at', at: NOW + 1000 } } as const;
    const seen = aSnapshot({ resourceVersion: '101', ...seenWith({ annotations: next }, IMAGE) });
    expect(absorb(host, seen).retry === null).toBe(expected);
  });
});
