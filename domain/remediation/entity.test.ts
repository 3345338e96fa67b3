import { describe, expect, test } from 'vitest';
import {
  AT,
  actionOf,
  answered,
  aRemediation,
  aSickHost,
  aSickMachine,
  BEGUN,
  failed,
  inPhase,
  OUR_KEY,
  said,
  stepOf,
  wordsOf,
} from '../../test/builders/remediation.ts';
import { remediationEntity } from './entity.ts';
import type { RemediationMemory } from './memory.ts';
import { powerOffKey } from './names.ts';
import type { RemediationSnapshot, Rival } from './snapshot.ts';

const { absorb, begin, show, stillWanted, afterVanishing } = remediationEntity;

const OFF = aSickHost({ heldBy: [OUR_KEY], poweredOn: false, resourceVersion: '60' });
const HELD = aSickHost({ heldBy: [OUR_KEY], resourceVersion: '55' });
const aRival = (change: Partial<Rival> = {}): Rival => ({
  name: 'other',
  uid: 'other-uid',
  creationTimestamp: '2025-12-31T00:00:00Z',
  ...change,
});

describe('a remediation', () => {
  test('begins, and shows it before it touches the host', () => {
    const begun = begin(aRemediation());
    expect(show(begun)).toEqual({});
    const step = stepOf(begun);
    if (step.kind !== 'become') throw new Error(wordsOf(step));
    expect(show(step.memory)).toEqual({
      finalizer: true,
      state: 'Running',
      status: { phase: 'Running', lastRemediated: BEGUN },
    });
    expect(stepOf(step.memory, AT, null)).toEqual({ kind: 'show' });
    expect(stepOf(step.memory, AT, { ...show(step.memory), status: {} })).toEqual({ kind: 'show' });
    expect(said(step.memory)).toBe('power off');
  });

  test('reads like a procedure', () => {
    const words: string[] = [];
    let memory = inPhase('Running');
    const on = (next: RemediationMemory, seconds = 0): void => {
      memory = next;
      words.push(said(memory, seconds));
    };
    const become = (seconds: number): void => {
      const step = stepOf(memory, AT + seconds * 1_000);
      if (step.kind === 'become') on(step.memory, seconds);
    };
    on(memory);
    on(answered(memory, { kind: 'host', host: HELD }));
    on(absorb(memory, aRemediation({ host: OFF })));
    on(answered(memory, { kind: 'node', node: 'draining' }));
    on(answered(memory, { kind: 'node', node: 'freed' }));
    become(0);
    on(answered(memory, { kind: 'host', host: aSickHost({ poweredOn: false, resourceVersion: '70' }) }), 10);
    on(absorb(memory, aRemediation({ host: aSickHost({ resourceVersion: '80' }) })), 20);
    on(answered(memory, { kind: 'node', node: 'absent' }, AT + 20_000), 20);
    const host = aSickHost({ resourceVersion: '80' });
    on(absorb(memory, aRemediation({ host, machine: aSickMachine({ nodeNews: 'back' }) })), 50);
    on(answered(memory, { kind: 'node', node: 'returned' }, AT + 50_000), 50);
    become(100);
    expect(words).toEqual([
      'power off',
      'wait: waiting until host host-1 is powered off',
      'free node',
      'await drain',
      'become Waiting 0',
      `power on: ${OUR_KEY}`,
      'wait: waiting until host host-1 is powered on (until 100 s)',
      'return node',
      'wait: waiting until Node node-1 is back (until 100 s)',
      'return node',
      'wait: waiting until Machine worker-1 is healthy (until 100 s)',
      'power off',
    ]);
    expect(memory.record).toEqual({ phase: 'Running', retryCount: 1, lastRemediated: '2026-01-01T00:01:40Z' });
  });

  test.each([
    ['no strategy', { strategy: {} }, 'wait: its strategy is not Reboot'],
    ['another strategy', { strategy: { type: 'Replace' } }, 'wait: its strategy is not Reboot'],
    ['a pause', { paused: true }, 'wait: paused'],
    ['no Machine among its owners', { machine: undefined }, 'wait: waiting for a Machine among its owners'],
    ['a Machine that does not exist', { machine: null }, 'wait: its Machine does not exist'],
    [
      'a Machine that is being deleted',
      { machine: aSickMachine({ deleting: true }) },
      'wait: Machine worker-1 is being deleted',
    ],
    [
      'a Machine of another provider',
      { machine: aSickMachine({ metal3Machine: '' }) },
      'wait: Machine worker-1 has no Metal3Machine',
    ],
    ['a machine without a host', { host: undefined }, 'wait: Metal3Machine m3m-1 has no host'],
    ['a host that is gone', { host: null }, 'become Running 0'],
    ['a host that is being deleted', { host: aSickHost({ deleting: true }) }, 'wait: host host-1 is being deleted'],
    [
      'a host of another machine',
      { host: aSickHost({ belongs: false }) },
      'wait: host host-1 does not belong to Metal3Machine m3m-1',
    ],
    [
      'a host that is being deprovisioned',
      { host: aSickHost({ state: 'deprovisioning' }) },
      "wait: host host-1 is not provisioned: its state is 'deprovisioning'",
    ],
    [
      'a host that was provisioned by others',
      { host: aSickHost({ state: 'externally provisioned' }) },
      'become Running 0',
    ],
    ['a host that is to be off', { host: aSickHost({ online: false }) }, 'become Failed 0'],
    [
      'no strategy and a host that is to be off',
      { strategy: {}, host: aSickHost({ online: false }) },
      'wait: its strategy is not Reboot',
    ],
    ['a paused host', { host: aSickHost({ untouched: true }) }, 'wait: host host-1 is paused or detached'],
    ['an earlier remediation', { rivals: [aRival()] }, 'wait: Metal3Remediation other remediates the same Machine'],
    ['an earlier one that has failed', { rivals: [aRival({ phase: 'Failed' })] }, 'become Running 0'],
    ['a later one', { rivals: [aRival({ creationTimestamp: '2026-01-01T00:00:01Z' })] }, 'become Running 0'],
    [
      'a later one that has begun',
      { rivals: [aRival({ creationTimestamp: '2026-01-01T00:00:01Z', phase: 'Waiting' })] },
      'wait: Metal3Remediation other remediates the same Machine',
    ],
  ] satisfies readonly (readonly [string, Partial<RemediationSnapshot> | object, string])[])(
    'with %s does what it should',
    (_, change, words) => {
      expect(said(begin(aRemediation(change as Partial<RemediationSnapshot>)))).toBe(words);
    },
  );

  test.each<[string, object]>([
    ['no Machine among its owners', { machine: undefined, host: undefined }],
    ['a Machine that does not exist', { machine: null, host: undefined }],
    ['a Metal3Machine that does not exist', { machine: aSickMachine({ metal3Machine: '' }), host: undefined }],
    ['a Metal3Machine that names no host', { host: undefined }],
  ])('with %s waits without a timer, shows nothing, and begins when that is there', (_, missing) => {
    const memory = begin(aRemediation(missing as Partial<RemediationSnapshot>));
    expect(stepOf(memory)).toEqual({ kind: 'wait', reason: expect.any(String) as unknown });
    expect(show(memory)).toEqual({});
    expect(said(absorb(memory, aRemediation()))).toBe('become Running 0');
  });

  test('that has begun together with an earlier one lets that go first', () => {
    const both = { rivals: [aRival({ phase: 'Running' })] };
    expect(said(inPhase('Running', both))).toBe('wait: Metal3Remediation other remediates the same Machine');
    const later = { rivals: [aRival({ phase: 'Running', creationTimestamp: '2026-01-02T00:00:00Z' })] };
    expect(said(inPhase('Running', later))).toBe('power off');
    const heldBy = [powerOffKey('other-uid')];
    expect(said(inPhase('Running', { ...later, host: aSickHost({ heldBy }) }))).toMatch(
      'wait: Metal3Remediation other',
    );
  });

  test('removes annotations of remediations that are no more, and none of another that is in hand', () => {
    const stray = powerOffKey('before-a-move');
    const host = aSickHost({ heldBy: [OUR_KEY, powerOffKey('other-uid'), stray], poweredOn: false });
    const rivals = [aRival({ phase: 'Waiting' })];
    expect(said(inPhase('Waiting', { host, rivals }))).toBe(`power on: ${OUR_KEY}, ${stray}`);
  });
});

describe('a remediation that has not begun', () => {
  const stray = powerOffKey('before-a-move');
  const host = aSickHost({ heldBy: [stray], poweredOn: false });

  test.each([
    [
      'its Machine is being deleted',
      { machine: aSickMachine({ deleting: true }) },
      'wait: Machine worker-1 is being deleted',
    ],
    ['it has no strategy', { strategy: {} }, 'wait: its strategy is not Reboot'],
  ])('lets a host on that was moved while it was kept off, when it can not begin because %s', (_, change, words) => {
    const memory = begin(aRemediation({ host, ...change }));
    expect(said(memory)).toBe(`power on: ${stray}`);
    expect(said(answered(memory, { kind: 'host', host: aSickHost() }))).toBe(words);
  });

  test('leaves such a host off when it can begin: its own attempt lets the host on', () => {
    expect(said(begin(aRemediation({ host })))).toBe('become Running 0');
  });

  test.each([
    ['of itself', { ...host, heldBy: [OUR_KEY] }],
    ['of another one of its Machine', { ...host, heldBy: [powerOffKey('other-uid')] }],
    ['on the host of another machine', { ...host, belongs: false }],
  ])('removes no annotation %s', (_, held) => {
    const machine = aSickMachine({ deleting: true });
    const rivals = [aRival()];
    expect(said(begin(aRemediation({ host: held, machine, rivals })))).toBe('wait: Machine worker-1 is being deleted');
  });
});

describe('a host', () => {
  test('that is never powered off is told of as such', () => {
    const memory = inPhase('Running', { host: aSickHost({ heldBy: [OUR_KEY], disablePowerOff: true }) });
    expect(said(memory)).toBe('wait: host host-1 is never powered off, because of spec.disablePowerOff');
  });

  test('whose power-off fails is told of with its error', () => {
    const memory = inPhase('Running', { host: aSickHost({ heldBy: [OUR_KEY], errorMessage: 'BMC is away' }) });
    expect(said(memory)).toBe('wait: waiting until host host-1 is powered off: BMC is away');
  });

  test('that lost the annotation while it has to be off gets it again', () => {
    const memory = answered(inPhase('Running'), { kind: 'host', host: HELD });
    expect(said(absorb(memory, aRemediation({ host: aSickHost({ resourceVersion: '54' }) })))).toMatch(/^wait/);
    expect(said(absorb(memory, aRemediation({ host: aSickHost({ resourceVersion: '56' }) })))).toBe('power off');
    const restored = aRemediation({ host: aSickHost({ resourceVersion: '54' }), versionsSince: 2 });
    expect(said(absorb(memory, restored))).toBe('power off');
  });

  test.each([
    ['is to be off', { host: { ...OFF, online: false } }, 'become Failed 0'],
    ['is being deleted', { host: { ...OFF, deleting: true } }, 'wait: host host-1 is being deleted'],
    ['is being deprovisioned', { host: { ...OFF, state: 'deprovisioning' } }, /^wait: host host-1 is not provisioned/],
    ['belongs to another machine', { host: { ...OFF, belongs: false } }, /^wait: host host-1 does not belong/],
    ['has a Machine that is being deleted', { host: OFF, machine: aSickMachine({ deleting: true }) }, /being deleted$/],
  ])('that %s is not kept off any more', (_, change, words) => {
    for (const phase of ['Running', 'Waiting'] as const) {
      const memory = inPhase(phase, change);
      expect(said(memory)).toBe(`power on: ${OUR_KEY}`);
      expect(said(answered(memory, { kind: 'host', host: { ...change.host, heldBy: [] } }))).toMatch(words);
    }
  });

  test.each(['Deleting machine', 'Failed'] as const)('is not kept off in phase %s', (phase) => {
    const memory = inPhase(phase, { host: OFF });
    expect(said(memory)).toBe(`power on: ${OUR_KEY}`);
    expect(said(answered(memory, { kind: 'host', host: aSickHost() }))).toMatch(/^wait: [^(]*$/);
  });

  test('is told again later when the API server refuses the annotation', () => {
    const once = failed(inPhase('Running'), 'no');
    expect(said(once)).toBe('wait: waiting to try again after: no (until 5 s)');
    expect(said(once, 5)).toBe('power off');
    expect(said(failed(once, 'no', AT + 5_000), 5)).toBe('wait: waiting to try again after: no (until 15 s)');
  });

  test('is let go when somebody removes the finalizer, at most once', () => {
    const memory = inPhase('Running', { host: OFF });
    const action = afterVanishing?.(memory);
    // Whether it is gone, the activity looks itself: the message may be forged.
    expect(action).toMatchObject({ name: 'power on', keys: [OUR_KEY], order: { vanished: true } });
    if (action === undefined) return;
    expect(afterVanishing?.(answered(memory, { kind: 'host', host: null }, AT, action))).toBeUndefined();
    const refused = remediationEntity.record(
      memory,
      action,
      { kind: 'failed', message: 'no' },
      { now: AT, dice: 0, before: memory },
    );
    expect(afterVanishing?.(refused)).toBeUndefined();
    expect(afterVanishing?.(inPhase('Running', { host: OFF, paused: true }))).toBeUndefined();
  });

  test.each([
    [
      'the cluster could not be reached',
      answered(inPhase('Running', { host: OFF }), { kind: 'unreachable', message: 'away' }),
    ],
    ['the API server refused to let it on', failed(inPhase('Waiting', { host: OFF }), 'no')],
  ])('is let go when somebody removes the finalizer after %s', (_, troubled) => {
    expect(troubled.trouble).not.toBeNull();
    expect(afterVanishing?.(troubled)).toMatchObject({ name: 'power on', keys: [OUR_KEY] });
  });
});

describe('the Node', () => {
  const off = (change: Partial<RemediationSnapshot> = {}) => inPhase('Running', { host: OFF, ...change });

  test('of a machine that never had one is not waited for', () => {
    const { node: _, ...machine } = aSickMachine();
    expect(said(off({ machine }))).toBe('become Waiting 0');
    expect(said(inPhase('Waiting', { machine }))).toBe('wait: waiting until Machine worker-1 is healthy (until 100 s)');
  });

  test('of a cluster that is away keeps its host off for one more minute', () => {
    const away = answered(off(), { kind: 'unreachable', message: 'away' });
    expect(said(away)).toBe('wait: waiting to try again after: away (until 5 s)');
    expect(said(away, 5)).toBe('free node');
    const still = answered(away, { kind: 'unreachable', message: 'away' }, AT + 50_000);
    expect(said(still, 50)).toBe('wait: waiting to try again after: away (until 60 s)');
    expect(said(still, 60)).toBe('become Waiting 0');
  });

  test('is drained until the end of the attempt', () => {
    const draining = answered(off(), { kind: 'node', node: 'draining' });
    expect(actionOf(stepOf(draining))).toMatchObject({ name: 'await drain', until: AT + 100_000 });
    expect(said(answered(draining, { kind: 'node', node: 'left' }))).toBe('become Waiting 0');
    expect(said(failed(draining, 'away'), 5)).toBe('free node');
  });

  test('is not drained for a remediation that has ended', () => {
    const memory = answered(off(), { kind: 'node', node: 'draining' });
    const action = actionOf(stepOf(memory));
    expect(stillWanted?.(memory, action)).toBe(true);
    expect(stillWanted?.(absorb(memory, aRemediation({ host: OFF, deletionTimestamp: BEGUN })), action)).toBe(false);
    expect(stillWanted?.(absorb(memory, aRemediation({ host: null })), action)).toBe(false);
  });

  test('is looked for once for each news of it, and at the end of the attempt', () => {
    const absent = answered(inPhase('Waiting'), { kind: 'node', node: 'absent' });
    expect(said(absent, 50)).toBe('wait: waiting until Node node-1 is back (until 100 s)');
    expect(actionOf(stepOf(absent, AT + 100_000))).toMatchObject({ name: 'return node', at: AT + 100_000 });
    const late = answered(absent, { kind: 'node', node: 'absent' }, AT + 100_000);
    expect(said(late, 100)).toBe('become Running 1');
  });

  test('of a cluster that is away is looked for again, and a last time', () => {
    const away = answered(inPhase('Waiting'), { kind: 'unreachable', message: 'away' }, AT + 98_000);
    expect(said(away, 98)).toBe('wait: waiting to try again after: away (until 100 s)');
    expect(said(away, 100)).toBe('return node');
    expect(said(answered(away, { kind: 'unreachable', message: 'away' }, AT + 100_000), 100)).toBe('become Running 1');
  });
});

describe('a remediation that is deleted', () => {
  const deleted = (change: Partial<RemediationSnapshot> = {}) => ({ deletionTimestamp: BEGUN, ...change });

  test('before it began is gone', () => {
    expect(said(begin(aRemediation(deleted())))).toBe('gone');
  });

  test.each(['Running', 'Waiting'] as const)(
    'in phase %s lets the host be powered on, and returns the Node',
    (phase) => {
      const memory = inPhase(phase, deleted({ host: OFF, hasBackup: true }));
      expect(said(memory)).toBe(`power on: ${OUR_KEY}`);
      const on = answered(memory, { kind: 'host', host: aSickHost({ poweredOn: false, resourceVersion: '70' }) });
      expect(said(on)).toBe('return node');
      const absent = answered(on, { kind: 'node', node: 'absent' });
      expect(said(absent)).toBe('wait: being deleted: waiting until Node node-1 is back (until 100 s)');
      expect(said(answered(absent, { kind: 'node', node: 'absent' }, AT + 100_000), 100)).toBe('gone');
      expect(said(answered(on, { kind: 'node', node: 'returned' }))).toBe('gone');
    },
  );

  test('and owes the Node nothing does not wait for it', () => {
    expect(said(answered(inPhase('Waiting', deleted()), { kind: 'node', node: 'absent' }))).toBe('gone');
  });

  test('together with its Machine only lets the host go', () => {
    const memory = inPhase('Waiting', deleted({ host: HELD, hasBackup: true, machine: null }));
    expect(said(memory)).toBe(`power on: ${OUR_KEY}`);
    expect(said(answered(memory, { kind: 'host', host: aSickHost() }))).toBe('gone');
  });

  test('after a move to another cluster is left alone', () => {
    const memory = inPhase('Running', deleted({ host: OFF, paused: true }));
    expect([said(memory), show(memory)]).toEqual([
      'wait: paused',
      { state: 'Running', status: { phase: 'Running', lastRemediated: BEGUN } },
    ]);
  });
});
