import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BareMetalHostSpec } from '../../../api/baremetalhost/types.ts';
import { aHost, aNode, CHANCE, IMAGE, NOW, provisionedWith } from '../../../test/builders/host.ts';
import { said } from '../../../test/builders/step.ts';
import { same } from '../../same.ts';
import { answerValue } from '../../steering/answer.ts';
import type { HostMemory } from '../memory/memory.ts';
import { nextStep } from '../next-step.ts';
import { record, startOf } from '../record.ts';
import { hostConditions } from '../report/conditions.ts';
import { listed } from '../report/listed.ts';
import { unapproved } from './unapproved.ts';

const ALL = { 'temper/approval': 'all' };
const OPEN_LATER = { 'temper/approval-window': '0 3 * * * 2h' };
const AT_THREE = Date.parse('2026-01-01T03:00:00Z');
const AT_FIVE = Date.parse('2026-01-01T05:00:00Z');

/** A host that is about to be provisioned, deprovisioned, or powered off. */
interface Situation {
  readonly uid: string;
  readonly step: 'provision' | 'deprovision' | 'power-off';
  readonly url: string;
  readonly since: string;
  readonly spec: Partial<BareMetalHostSpec>;
  readonly annotations: Readonly<Record<string, string>>;
}
const PROVISION: Situation = {
  uid: 'uid-1',
  step: 'provision',
  url: IMAGE.url,
  since: '2025-12-01T00:00:00Z',
  spec: {},
  annotations: {},
};
const DEPROVISION: Situation = { ...PROVISION, step: 'deprovision' };
const POWER_OFF: Situation = { ...PROVISION, step: 'power-off', annotations: { 'reboot.metal3.io': '' } };

function host({ uid, step, url, since, spec, annotations }: Situation, more: Record<string, string> = ALL): HostMemory {
  const all = { ...annotations, ...more };
  const image = { ...IMAGE, url };
  const operationHistory = { provision: { start: since, end: since } };
  const status = { operationHistory, provisioning: provisionedWith(url), poweredOn: true };
  const node = aNode({ state: 'active', poweredOn: true });
  switch (step) {
    case 'provision':
      return aHost({ state: 'available', seen: { uid, annotations: all, spec: { online: true, image, ...spec } } });
    case 'deprovision':
      return aHost({
        state: 'provisioned',
        status,
        node,
        seen: { uid, annotations: all, spec: { online: true, ...spec } },
      });
    case 'power-off': {
      const seen = { uid, annotations: all, spec: { online: true, image, ...spec } };
      return aHost({ state: 'provisioned', status, node, seen });
    }
  }
}

/** The host after all that it notes, and the step that is not a note. */
function settled(memory: HostMemory, now = NOW): readonly [HostMemory, ReturnType<typeof nextStep>] {
  const step = nextStep(memory, now);
  return step.kind === 'note' ? settled(step.memory, now) : [memory, step];
}
const stepOf = (memory: HostMemory, now = NOW) => settled(memory, now)[1];
const codeOf = (situation: Situation): string => settled(host(situation))[0].awaits?.code ?? '';
const given = (code: string) => ({ 'temper/approval-given': answerValue({ code, by: 'ada', reason: 'go' }) });
const rejected = (code: string) => ({ 'temper/approval-rejected': answerValue({ code, by: 'ada', reason: 'no' }) });

describe('a host whose steps need approval', () => {
  test.each([
    [PROVISION, 'clean its disks and write image http://images/a.raw over them', 'become provisioning'],
    [DEPROVISION, 'power it off, remove image http://images/a.raw, and clean its disks', 'become deprovisioning'],
    [POWER_OFF, 'reboot it for reboot.metal3.io', 'power'],
  ])('tells once what it would do and waits for a person: %#', (situation, does, step) => {
    const [memory, waiting] = settled(host(situation));
    const { code } = memory.awaits ?? { code: '' };
    const words = `waiting for approval ${code} to ${does}, by somebody who may update baremetalhosts/approval; asked for by the host`;
    expect(waiting).toEqual({ kind: 'wait', reason: words, cause: `waiting for approval to ${does}` });
    expect(memory.events).toMatchObject([{ reason: 'ApprovalNeeded', message: words }]);
    expect(listed(memory)).toMatchObject({ waitsFor: 'person' });
    const held = { type: 'StepHeld', status: 'True', reason: 'ApprovalNeeded', message: words };
    expect(hostConditions(memory)).toContainEqual(held);
    expect(hostConditions(memory)).toContainEqual(expect.objectContaining({ type: 'Ready', message: words }));

    const approved = {
      ...memory,
      seen: { ...memory.seen, annotations: { ...memory.seen.annotations, ...given(code) } },
    };
    const [after, next] = settled(approved);
    expect(said(next)).toBe(step);
    expect(after).not.toHaveProperty('awaits');
    expect(hostConditions(after)).not.toContainEqual(expect.objectContaining({ type: 'StepHeld' }));
  });

  test.each([
    ['erase', PROVISION, 'wait'],
    ['power-off', PROVISION, 'become provisioning'],
    ['power-off', DEPROVISION, 'wait'],
    ['erase', { ...DEPROVISION, spec: { automatedCleaningMode: 'disabled' } }, 'become deprovisioning'],
    ['firmware', DEPROVISION, 'become deprovisioning'],
    ['erase', POWER_OFF, 'power'],
    ['wipe', POWER_OFF, 'wait'],
  ] as const)('is held for %s alone: %#', (needed, situation, step) => {
    expect(said(stepOf(host(situation, { 'temper/approval': needed })))).toBe(step);
  });

  test('is held by what others say as well', () => {
    const inherited = JSON.stringify([{ of: 'Namespace metal', needed: 'erase' }]);
    expect(stepOf(host(PROVISION, { 'temper/approval-inherited': inherited }))).toMatchObject({
      reason: expect.stringContaining('asked for by Namespace metal') as string,
    });
  });

  test('is held before volumes are built, and not before a preparation without any', () => {
    const raid = { softwareRAIDVolumes: [{ level: '1' as const, rootVolume: false }] };
    const preparing = (spec: Partial<BareMetalHostSpec>) =>
      aHost({ state: 'preparing', seen: { annotations: ALL, spec } });
    expect(settled(preparing({ raid }))[0].awaits?.does).toBe('build its RAID volumes, which erases their disks');
    expect(said(stepOf(preparing({})))).toBe('become available');
  });

  test('is not held in what harms nobody: powering on, and cleaning up after a deployment that failed', () => {
    const off = aHost({ state: 'available', seen: { annotations: ALL, spec: { online: true } } });
    expect(said(stepOf(off))).toBe('power');
    const status = { lastAttemptedImage: IMAGE, errorType: 'provisioning error' as const };
    const failed = aHost({ state: 'provisioning', status, seen: { annotations: ALL, spec: { image: IMAGE } } });
    expect(said(stepOf(failed))).toBe('become deprovisioning');
  });

  test('stays as it is when the step is rejected, until it is approved or the wish is another one', () => {
    const no = rejected(codeOf(DEPROVISION));
    const [memory, waiting] = settled(host(DEPROVISION, { ...ALL, ...no }));
    expect(waiting).toMatchObject({
      kind: 'wait',
      reason: expect.stringMatching(/^rejected by ada: no; it would /) as string,
    });
    expect(hostConditions(memory)).toContainEqual(expect.objectContaining({ type: 'StepHeld', reason: 'Rejected' }));
    expect(stepOf(host({ ...DEPROVISION, since: '2026-01-01T00:00:00Z' }, { ...ALL, ...no }))).toMatchObject({
      reason: expect.stringMatching(/^waiting for approval/) as string,
    });
  });

  test.each([
    ['a window', OPEN_LATER],
    ['a budget', { 'temper/approval-budget': '1' }],
    ['no policy at all', {}],
  ])('stays as it is when a step that needs no approval is rejected: the host has %s', (_, policy) => {
    const no = { ...policy, ...rejected(codeOf(DEPROVISION)) };
    const [memory, waiting] = settled(host(DEPROVISION, no), AT_THREE);
    expect(waiting).toMatchObject({
      kind: 'wait',
      reason: expect.stringMatching(/^rejected by ada: no; it would .* it goes on without an approval; /) as string,
    });
    expect(listed(memory)).toMatchObject({ waitsFor: 'person' });
    expect(unapproved(objectOf(memory), requestOf(DEPROVISION, memory.seen))).toMatch(/ is rejected by ada: no$/);
    const after = { ...memory.seen, annotations: { ...no, ...given(codeOf(DEPROVISION)) } };
    expect(stepOf({ ...memory, seen: after }, AT_THREE).kind).not.toBe('wait');
    expect(unapproved(objectOf({ ...memory, seen: after }), requestOf(DEPROVISION, memory.seen))).toBeUndefined();
    const another = host({ ...DEPROVISION, since: '2026-01-01T00:00:00Z' }, no);
    expect(stepOf(another, AT_THREE).kind).not.toBe('wait');
  });

  test('asks for nothing any more when the wish is withdrawn, and an approval of it is gone', () => {
    const approval = given(codeOf(DEPROVISION));
    const [waiting] = settled(host(DEPROVISION));
    const seen = {
      ...waiting.seen,
      spec: { ...waiting.seen.spec, image: IMAGE },
      annotations: { ...ALL, ...approval },
    };
    const [memory, step] = settled({ ...waiting, seen });
    expect(said(step)).toBe('wait');
    expect(memory).not.toHaveProperty('awaits');
    expect(memory.consumedAnnotations).toEqual(['temper/approval-given']);
  });

  test('uses an approval once: it is removed when the step is done, and kept while it is tried again', () => {
    const approved = host(PROVISION, { ...ALL, ...given(codeOf(PROVISION)) });
    const begun = stepOf(approved);
    if (begun.kind !== 'become') throw new Error('it should be provisioned');
    const step = nextStep(begun.memory, NOW);
    if (step.kind !== 'run') throw new Error('it should provision');
    const started = startOf(begun.memory, step.operation);
    const failed = record(started, step.operation, { kind: 'failed', message: 'no' }, CHANCE);
    expect(failed.consumedAnnotations).toEqual([]);
    const done = record(started, step.operation, { kind: 'done' }, CHANCE);
    expect(done.consumedAnnotations).toEqual(['temper/approval-given']);
  });

  test('without such an annotation is as ever', () => {
    const memory = host(PROVISION, {});
    expect(settled(memory)[0]).toBe(memory);
    expect(said(stepOf(memory))).toBe('become provisioning');
  });
});

describe('a host with a window', () => {
  test('waits until it opens, with one timer, and then goes on', () => {
    const [memory, waiting] = settled(host(PROVISION, OPEN_LATER));
    expect(waiting).toEqual({
      kind: 'wait',
      reason:
        'waiting for the window 0 3 * * * 2h of the host, which opens at 2026-01-01T03:00:00.000Z, to clean its disks and write image http://images/a.raw over them',
      cause: 'waiting for a window to clean its disks and write image http://images/a.raw over them',
      until: AT_THREE,
    });
    expect(listed(memory)).toMatchObject({ waitsFor: 'window' });
    expect(nextStep(memory, NOW + 1_000)).toEqual(waiting);
    expect(said(stepOf(memory, AT_THREE))).toBe('become provisioning');
  });

  test('is asked for approval first', () => {
    const both = { ...ALL, ...OPEN_LATER };
    expect(settled(host(PROVISION, both))[0].awaits).toMatchObject({ for: 'approval' });
    const approval = given(codeOf(PROVISION));
    expect(settled(host(PROVISION, { ...both, ...approval }))[0].awaits).toMatchObject({ for: 'window' });
  });

  test('finishes what has begun in it, also with another run, or after a failure', () => {
    const closed = { annotations: OPEN_LATER, spec: { online: true, image: IMAGE } };
    const begunAnew = aHost({ state: 'provisioning', seen: closed, node: aNode({ state: 'deploying' }) });
    expect(said(stepOf(begunAnew))).toBe('run provision');

    const [held] = settled(host(DEPROVISION, OPEN_LATER), AT_THREE);
    const begun = stepOf(held, AT_THREE);
    if (begun.kind !== 'become') throw new Error('it should be deprovisioned');
    const { memory } = begun;
    const step = nextStep(memory, AT_THREE);
    if (step.kind !== 'run') throw new Error('it should deprovision');
    const outcome = { kind: 'failed', message: 'no', node: aNode({ state: 'clean failed' }) } as const;
    const failed = record(startOf(memory, step.operation), step.operation, outcome, { now: AT_FIVE, dice: 0 });
    const backoff = nextStep(failed, AT_FIVE);
    const again = backoff.kind === 'wait' ? (backoff.until ?? 0) : 0;
    expect(again).toBeGreaterThan(AT_FIVE);
    expect(said(stepOf(failed, again))).toBe('run deprovision');
  });

  test.each([
    ['clean wait', 'run prepare'],
    ['clean failed', 'run prepare'],
    ['manageable', 'wait'],
    ['inspect failed', 'wait'],
  ])('builds volumes only in it, unless it builds them already: its node is %s', (state, step) => {
    const raid = { softwareRAIDVolumes: [{ level: '1' as const, rootVolume: false }] };
    const node = aNode({ state });
    expect(said(stepOf(aHost({ state: 'preparing', node, seen: { annotations: OPEN_LATER, spec: { raid } } })))).toBe(
      step,
    );
  });

  test('builds other volumes than those that it has begun to build only in it', () => {
    const of = (rootVolume: boolean) => ({ softwareRAIDVolumes: [{ level: '1' as const, rootVolume }] });
    const seen = { annotations: OPEN_LATER, spec: { raid: of(false) } };
    const begun = nextStep(aHost({ state: 'preparing', node: aNode({ state: 'clean wait' }), seen }), NOW);
    if (begun.kind !== 'run') throw new Error('it should prepare');
    const node = aNode({ state: 'clean failed' });
    const before = startOf(aHost({ state: 'preparing', node, seen }), begun.operation);
    const failed = record(before, begun.operation, { kind: 'failed', message: 'no', node }, CHANCE);
    const again = { ...failed, retry: null };
    expect(said(stepOf(again))).toBe('run prepare');
    const changed = { ...again, seen: { ...again.seen, spec: { ...again.seen.spec, raid: of(true) } } };
    expect(settled(changed)[0].awaits).toMatchObject({ for: 'window', until: AT_THREE });
    expect(said(stepOf(changed, AT_THREE))).toBe('run prepare');
  });

  test('needs it for the next attempt of a deployment that failed', () => {
    const status = { provisioningFailCount: 1, lastAttemptedImage: IMAGE };
    const next = aHost({ state: 'available', status, seen: host(PROVISION, OPEN_LATER).seen });
    expect(settled(next)[0].awaits).toMatchObject({ for: 'window' });
  });

  test('opens by the clock as it is, when it was found while the clock was a year ahead', () => {
    const hourly = { 'temper/approval-window': '0 * * * * 30m' };
    const ahead = NOW + 365 * 86_400_000;
    const closed = 45 * 60_000;
    const [memory, waiting] = settled(host(PROVISION, hourly), ahead + closed);
    expect(waiting).toMatchObject({ kind: 'wait', until: ahead + 3_600_000 });
    expect(said(stepOf(memory))).toBe('become provisioning');
    const [again, rightly] = settled(memory, NOW + closed);
    expect(rightly).toMatchObject({ kind: 'wait', until: NOW + 3_600_000 });
    expect(nextStep(again, NOW + closed + 1_000)).toEqual(rightly);
  });

  test('that can not be read, or is never open, waits for a change', () => {
    for (const text of ['soon', '0 0 30 2 * 1h'])
      expect(stepOf(host(PROVISION, { 'temper/approval-window': text }))).not.toHaveProperty('until');
  });

  test('that is not open with another one for years looks again then', () => {
    const inherited = JSON.stringify([{ of: 'Namespace metal', window: '0 1 * * * 1h' }]);
    const both = { 'temper/approval-window': '0 22 * * * 1h', 'temper/approval-inherited': inherited };
    const [memory, waiting] = settled(host(PROVISION, both));
    const { until = 0 } = waiting.kind === 'wait' ? waiting : {};
    expect(until).toBeGreaterThan(Date.parse('2028-01-01T00:00:00Z'));
    expect(waiting).toMatchObject({
      reason: expect.stringContaining(`which is not open before ${new Date(until).toISOString()}: then `) as string,
    });
    expect(nextStep(memory, NOW + 1_000)).toEqual(waiting);
    expect(settled(memory, until)[0].awaits?.until).toBeGreaterThan(until);
    expect(settled(host(PROVISION, both), NOW)[1]).toHaveProperty('until');
  });
});

/** Any wish, of a few values each, so that two are often the same. */
const situations: fc.Arbitrary<Situation> = fc.record({
  uid: fc.constantFrom('uid-1', 'uid-2'),
  step: fc.constantFrom('provision', 'deprovision', 'power-off'),
  url: fc.constantFrom('http://images/a.raw', 'http://images/b.raw'),
  since: fc.constantFrom('2025-12-01T00:00:00Z', '2025-12-02T00:00:00Z'),
  spec: fc.record(
    {
      userData: fc.constantFrom({ name: 'user-a' }, { name: 'user-b' }),
      automatedCleaningMode: fc.constantFrom('metadata', 'disabled'),
      rootDeviceHints: fc.constantFrom({ deviceName: '/dev/sda' }, { deviceName: '/dev/sdb' }),
    },
    { requiredKeys: [] },
  ),
  annotations: fc.constantFrom<Situation['annotations'][]>(
    { 'reboot.metal3.io': '' },
    { 'reboot.metal3.io/a': '{"mode":"hard"}' },
  ),
});

/** What the approval of a situation's step is about. */
function wishOf({ uid, step, url, since, spec, annotations }: Situation): unknown {
  const { userData, automatedCleaningMode = 'metadata', rootDeviceHints } = spec;
  if (step === 'provision') return [uid, step, url, userData, automatedCleaningMode, rootDeviceHints];
  if (step === 'deprovision') return [uid, step, url, since, automatedCleaningMode];
  return [uid, step, annotations];
}

/** The BareMetalHost of a host's memory. */
function objectOf({ seen, status }: HostMemory): Parameters<typeof unapproved>[0] {
  const { namespace, name, uid, annotations, spec } = seen;
  return { metadata: { namespace, name, uid, annotations }, spec, status } as Parameters<typeof unapproved>[0];
}

/** The request that leads to the erasing or powering off. */
function requestOf({ step }: Situation, { uid }: HostMemory['seen']): Parameters<typeof unapproved>[1] {
  const ref = { namespace: 'metal', name: 'node-1', uid };
  if (step === 'provision') return { name: 'clean', order: { host: ref } };
  return step === 'deprovision'
    ? { name: 'undeploy', order: { host: ref } }
    : { name: 'power', order: { host: ref, on: false } };
}

test('an approval of one wish never lets another through, neither in the run nor in an activity', () => {
  let passed = 0;
  fc.assert(
    fc.property(situations, situations, (approved, wished) => {
      const memory = host(wished, { ...ALL, ...given(codeOf(approved)) });
      const isSame = same(wishOf(approved), wishOf(wished));
      passed += isSame ? 1 : 0;
      expect(stepOf(memory).kind === 'wait').toBe(!isSame);
      expect(unapproved(objectOf(memory), requestOf(wished, memory.seen)) === undefined).toBe(isSame);
    }),
    { numRuns: 500 },
  );
  expect(passed).toBeGreaterThan(0);
});
