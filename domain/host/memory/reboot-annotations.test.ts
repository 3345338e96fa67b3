import { describe, expect, test } from 'vitest';
import { aHost, aSnapshot, CHANCE, IMAGE, NOW } from '../../../test/builders/host.ts';
import { stillWanted } from '../desired/still-wanted.ts';
import { nextStep } from '../next-step.ts';
import { record, startOf } from '../record.ts';
import { type HostMemory } from './memory.ts';
import { readReboot, rebootRequests, withRebootSpent } from './reboot-annotations.ts';
import { absorb, begin } from './take-in.ts';
import type { Operation } from './task.ts';

const KEY = 'reboot.metal3.io';
const annotated = (annotations: Record<string, string>) => aHost({ seen: { annotations } });

describe('the value of a reboot annotation', () => {
  test.each([
    ['', {}],
    ['null', { mode: 'soft', force: false }],
    ['{"Mode":"hard"}', { mode: 'hard', force: false }],
    ['{}', { mode: 'soft', force: false }],
    ['{"mode":"soft"}', { mode: 'soft', force: false }],
    ['{"mode":"hard"}', { mode: 'hard', force: false }],
    ['{"mode":"hard","force":true,"who":"me"}', { mode: 'hard', force: true }],
    ['{"mode":null,"force":null}', { mode: 'soft', force: false }],
    ['{"mode":"gently"}', { mode: 'soft', force: false }],
    ['{"mode":', undefined],
    ['hard', undefined],
    ['"hard"', undefined],
    ['["hard"]', undefined],
    ['{"mode":1}', undefined],
    ['{"force":"yes"}', undefined],
  ])('%j means %j', (value, meaning) => expect(readReboot(value)).toEqual(meaning));
});

describe('reboot annotations', () => {
  test('are the one without a suffix and all that have one, and nothing else', () => {
    const host = annotated({ [KEY]: '', [`${KEY}/a`]: '{"mode":"hard"}', [`${KEY}-b`]: '', 'inspect.metal3.io': '' });
    expect(rebootRequests(host)).toEqual([
      { key: KEY, mode: 'soft', force: false },
      { key: `${KEY}/a`, mode: 'hard', force: false },
    ]);
  });
  test('that make no sense ask for a soft reboot', () => {
    expect(rebootRequests(annotated({ [KEY]: 'now' }))).toEqual([{ key: KEY, mode: 'soft', force: false }]);
  });
  test('that were handled no longer count, until they are set again', () => {
    const spent = withRebootSpent(annotated({ [KEY]: '' }));
    expect(spent.consumedAnnotations).toEqual([KEY]);
    expect(rebootRequests(spent)).toEqual([]);
    const gone = absorb(spent, aSnapshot({ resourceVersion: '101' }));
    expect(
      rebootRequests(absorb(gone, aSnapshot({ resourceVersion: '102', annotations: { [KEY]: '' } }))),
    ).toHaveLength(1);
  });
  test('that are not there are not taken off', () => {
    const host = aHost();
    expect(withRebootSpent(host)).toBe(host);
  });
  test('that can’t be read have one Event, with their number when there are several new ones', () => {
    const said = (memory: ReturnType<typeof begin>) =>
      memory.events.map(({ reason, message, warning }) => `${warning ? 'Warning ' : ''}${reason}: ${message}`);
    const first = begin(aSnapshot({ annotations: { [KEY]: 'now' } }));
    const told = (value: string): string =>
      `Warning InvalidAnnotationValue: could not parse reboot annotation (${value}) - invalid json, assuming soft-reboot`;
    expect(said(first)).toEqual([told('now')]);
    const again = absorb(first, aSnapshot({ resourceVersion: '101', annotations: { [KEY]: 'now' } }));
    expect(said(again)).toEqual([told('now')]);
    const suffixed = absorb(again, aSnapshot({ resourceVersion: '102', annotations: { [`${KEY}/a`]: '{' } }));
    expect(said(suffixed)).toEqual([told('now'), told('{')]);
    const many = Object.fromEntries(Array.from({ length: 12_500 }, (_, at) => [`${KEY}/${at}`, '{']));
    expect(said(begin(aSnapshot({ annotations: { ...many, [KEY]: '' } })))).toEqual([
      'Warning InvalidAnnotationValue: could not parse 12500 reboot annotations - invalid json, assuming soft-reboot',
    ]);
  });
  test('that can’t be read are quoted as far as an Event is written', () => {
    const [event] = begin(aSnapshot({ annotations: { [KEY]: '\u0001'.repeat(65_000) } })).events;
    expect(event?.message).toHaveLength(574);
    expect(event?.message.endsWith('\u0001…) - invalid json, assuming soft-reboot')).toBe(true);
  });
});

describe('a reboot that is forced', () => {
  const FORCED = '{"force":true}';
  const SUFFIXED = `${KEY}/a`;
  const spec = { online: true, image: IMAGE };
  const host = (state: 'inspecting' | 'provisioning', annotations: Record<string, string> = {}): HostMemory =>
    aHost({ state, status: { lastAttemptedImage: IMAGE }, seen: { spec, annotations } });
  const begun = (memory: HostMemory): { readonly memory: HostMemory; readonly operation: Operation } => {
    const step = nextStep(memory, NOW);
    if (step.kind !== 'run') throw new Error(`no operation: ${step.kind}`);
    return { memory: startOf(memory, step.operation), operation: step.operation };
  };
  const later = (memory: HostMemory, version: string, annotations: Record<string, string>): HostMemory =>
    absorb(memory, aSnapshot({ resourceVersion: version, spec, annotations }));
  const isWanted = ({ operation }: { operation: Operation }, memory: HostMemory) => stillWanted(memory, operation);

  test.each(['inspecting', 'provisioning'] as const)(
    'aborts the operation of a host that is %s, to start it again',
    (state) => {
      const first = begun(host(state));
      expect(first.operation).toMatchObject({ order: { forcedBy: [] } });
      expect(isWanted(first, later(first.memory, '101', { [KEY]: '' }))).toBe(true);
      const forced = later(first.memory, '102', { [KEY]: FORCED });
      expect(isWanted(first, forced)).toBe(false);
      const second = begun(forced);
      expect(second.operation).toMatchObject({ order: { forcedBy: [KEY] } });
      expect(second.memory.consumedAnnotations).toEqual([KEY]);
      expect(isWanted(second, second.memory)).toBe(true);
    },
  );

  test('ends it once for each annotation, and again when the one without a suffix is set again', () => {
    const first = begun(host('inspecting', { [KEY]: FORCED, [SUFFIXED]: FORCED }));
    expect(isWanted(first, first.memory)).toBe(true);
    const gone = later(first.memory, '101', { [SUFFIXED]: FORCED });
    expect(isWanted(first, gone)).toBe(true);
    expect(isWanted(first, later(gone, '102', { [SUFFIXED]: FORCED, [KEY]: FORCED }))).toBe(false);
    expect(isWanted(first, later(gone, '102', { [SUFFIXED]: FORCED, [`${KEY}/b`]: FORCED }))).toBe(false);
  });

  test('or not, is answered by an inspection or a deployment that begins, and by the end of one', () => {
    expect(begun(host('inspecting', { [KEY]: '' })).memory.consumedAnnotations).toEqual([KEY]);
    expect(begun(host('provisioning', { [KEY]: '' })).memory.consumedAnnotations).toEqual([KEY]);
    const during = begun(host('provisioning'));
    const asked = later(during.memory, '101', { [KEY]: '', [SUFFIXED]: '' });
    expect(record(asked, during.operation, { kind: 'done' }, CHANCE).consumedAnnotations).toEqual([KEY]);
    const deprovisioning = begun(aHost({ state: 'deprovisioning', seen: { annotations: { [KEY]: '' } } }));
    expect(deprovisioning.memory.consumedAnnotations).toEqual([]);
    const ended = record(deprovisioning.memory, deprovisioning.operation, { kind: 'done' }, CHANCE);
    expect(ended.consumedAnnotations).toEqual([KEY]);
  });
});

describe('a new inspection that is asked for', () => {
  test('before the first inspection requests a new inventory, whatever Ironic has, and the annotation is removed', () => {
    const asked = aHost({ state: 'inspecting', seen: { annotations: { 'inspect.metal3.io': '' } } });
    const step = nextStep(asked, NOW);
    if (step.kind !== 'run') throw new Error('it should be inspected');
    expect(step.operation).toMatchObject({ name: 'inspect', order: { refresh: true } });
    const begun = startOf(asked, step.operation);
    expect(begun).toMatchObject({ consumedAnnotations: ['inspect.metal3.io'], refreshInspection: true });
    const gone = absorb(begun, aSnapshot({ resourceVersion: '101' }));
    expect(nextStep(gone, NOW)).toMatchObject({ operation: { order: { refresh: true } } });
  });
  test.each(['preparing', 'provisioned', 'externally provisioned'] as const)(
    'in %s is left for later, annotation and all',
    (state) => {
      const seen = { annotations: { 'inspect.metal3.io': '' }, spec: { online: false, externallyProvisioned: true } };
      const step = nextStep(aHost({ state, seen }), NOW);
      expect(step).not.toMatchObject({ state: 'inspecting' });
      expect('memory' in step ? step.memory.consumedAnnotations : []).toEqual([]);
    },
  );
});
