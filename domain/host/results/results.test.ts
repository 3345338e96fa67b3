import { describe, expect, test } from 'vitest';
import { aHost } from '../../../test/builders/host.ts';
import type { ShownEvent } from '../../entity/view.ts';
import { codeOf } from '../../steering/code.ts';
import { type HistoryEntry, historyValue } from '../../steering/history.ts';
import { type AboutToShow, resultsAfter } from './after.ts';
import { type OperationResult, resultsOf, resultsProblem, resultsValue } from './results.ts';

const at = (minutes: number): string => `2026-01-01T00:${String(minutes).padStart(2, '0')}:00Z`;
const START = at(0);
const open = { start: START, end: null };
const closed = (end: string): { start: string; end: string } => ({ start: START, end });

interface Write {
  readonly minute: number;
  readonly state: NonNullable<NonNullable<Parameters<typeof aHost>[0]>['state']>;
  readonly spans?: AboutToShow['status']['operationHistory'];
  /** `id reason: message`. */
  readonly events?: readonly string[];
  readonly consumer?: string;
  /** When the tasks began whose Events these are. */
  readonly began?: number;
  readonly isLeaving?: true;
  /** Which memory has numbered the Events. */
  readonly memory?: string;
}

const eventIn = (line: string, memory: string, began?: number): ShownEvent => {
  const [, id = '', reason = '', message = ''] = /^(\d+) (\w+): (.*)$/.exec(line) ?? [];
  return { id: `${memory}/${id}`, reason, message, ...(began !== undefined && { began: at(began) }) };
};

/** The list after these writes, each of which the bridge does twice, as when it was ended after the first patch. */
function after(writes: readonly Write[], messages: readonly HistoryEntry[] = []): readonly OperationResult[] {
  let annotations: Record<string, string> = { 'temper/history': historyValue(messages) };
  let before: AboutToShow['before'] = {};
  for (const { minute, state, spans = {}, events = [], memory = '17.1', consumer, began, isLeaving } of writes) {
    const status = { ...aHost({ state }).status, operationHistory: spans };
    const shown = {
      before,
      status,
      events: events.map((line) => eventIn(line, memory, began)),
      at: at(minute),
      consumer,
      ...(state === 'deleting' && { deletionTimestamp: at(0) }),
      ...(isLeaving && { isLeaving }),
    };
    const results = resultsAfter({ ...shown, annotations });
    if (results !== undefined) annotations = { ...annotations, 'temper/operations': resultsValue(results) };
    expect(resultsAfter({ ...shown, annotations })).toBeUndefined();
    before = spans;
    // The status was written, and the bridge was ended before the Events were.
    expect(resultsAfter({ ...shown, before, annotations })).toBeUndefined();
  }
  return resultsOf(annotations);
}
const told = (results: readonly OperationResult[]): readonly string[] =>
  results.map(({ what, result, start, end, says, failures }) =>
    `${what} ${result} ${start?.slice(14, 16) ?? '?'}-${end.slice(14, 16)} ${failures ?? 0} ${says ?? ''}`.trimEnd(),
  );

describe('the list of operations on a host', () => {
  test('has what succeeded, with its start and end', () => {
    const register = closed(at(1));
    const inspected = { register, inspect: { start: at(1), end: at(5) } };
    expect(
      told(
        after([
          { minute: 0, state: 'registering', spans: { register: open } },
          { minute: 1, state: 'inspecting', spans: { register, inspect: { start: at(1), end: null } } },
          // The Event may be written before the state is left.
          {
            minute: 4,
            state: 'inspecting',
            spans: { register, inspect: { start: at(1), end: null } },
            events: ['2 InspectionStarted: x', '3 InspectionComplete: Hardware inspection completed'],
          },
          { minute: 5, state: 'preparing', spans: inspected },
          { minute: 9, state: 'available', spans: inspected, events: ['4 PowerOff: Host powered off'] },
        ]),
      ),
    ).toEqual([
      'register done 00-01 0',
      'inspect done 01-05 0 Hardware inspection completed',
      'power done ?-09 0 Host powered off',
    ]);
  });

  test('has the attempts of one operation as one entry, with the last error until it succeeds', () => {
    const failing: readonly Write[] = [
      { minute: 2, state: 'registering', spans: { register: open }, events: ['1 RegistrationError: no BMC'] },
      { minute: 6, state: 'registering', spans: { register: open }, events: ['2 RegistrationError: no BMC'] },
    ];
    expect(told(after(failing))).toEqual(['register failed 00-06 2 no BMC']);
    const done: Write = { minute: 9, state: 'inspecting', spans: { register: closed(at(9)) } };
    expect(told(after([...failing, done]))).toEqual(['register done 00-09 2']);
    const gone: Write = { ...done, state: 'deleting' };
    expect(told(after([...failing, gone]))).toEqual(['register failed 00-09 2 no BMC']);
  });

  test('does not take an operation for done that was left', () => {
    const left = after([{ minute: 3, state: 'deprovisioning', spans: { provision: closed(at(3)) } }]);
    expect(told(left)).toEqual(['provision ended 00-03 0']);
    const failed: Write = {
      minute: 3,
      state: 'deprovisioning',
      spans: { provision: closed(at(3)), deprovision: { start: at(3), end: null } },
      events: ['1 ProvisioningError: no image'],
    };
    expect(told(after([failed]))).toEqual(['provision failed 00-03 1 no image']);
    const both = after([failed, { ...failed, minute: 4, events: ['2 ProvisioningError: no agent'] }]);
    expect(told(both)).toEqual(['provision failed 00-03 1 no image', 'deprovision failed 03-04 1 no agent']);
  });

  test('has how long the last attempt took, and not the pauses and attempts before it', () => {
    const event = (id: string, reason: string, tookMs: number): ShownEvent => ({
      ...eventIn(`${id} ${reason}: x`, '17.1'),
      tookMs,
    });
    const shown = (
      minute: number,
      annotations: Record<string, string>,
      ...events: readonly ShownEvent[]
    ): AboutToShow => ({
      annotations,
      before: { inspect: open },
      status: { ...aHost({ state: 'inspecting' }).status, operationHistory: { inspect: open } },
      events,
      at: at(minute),
    });
    const first = resultsAfter(shown(2, {}, event('1', 'InspectionError', 1_000))) ?? [];
    expect(first).toMatchObject([{ result: 'failed', start: START, end: at(2), tookMs: 1_000 }]);
    const known = { 'temper/operations': resultsValue(first) };
    expect(resultsAfter(shown(9, known, event('2', 'InspectionComplete', 9_000)))).toMatchObject([
      { result: 'done', failures: 1, start: START, end: at(9), tookMs: 9_000 },
    ]);
  });

  test.each([
    ['InspectionCancelled', 'inspect'],
    ['PreparationCancelled', 'prepare'],
    ['ProvisioningCancelled', 'provision'],
    ['DeprovisioningCancelled', 'deprovision'],
  ])('says why an operation was ended: %s', (reason, what) => {
    const event = { ...eventIn(`1 ${reason}: Something ended: spec.image changed`, '17.1'), why: 'spec.image changed' };
    const status = { ...aHost({ state: 'provisioning' }).status, operationHistory: { [what]: open } };
    expect(resultsAfter({ annotations: {}, before: {}, status, events: [event], at: at(3) })).toMatchObject([
      { what, result: 'ended', says: 'spec.image changed' },
    ]);
  });

  test('begins a new entry for a failure after a success', () => {
    const events = (...lines: readonly string[]): Write => ({ minute: 7, state: 'provisioned', events: lines });
    expect(
      told(
        after([
          events('1 PowerManagementError: a', '2 PowerManagementError: b'),
          events('3 PowerOn: on'),
          events('4 PowerManagementError: c'),
        ]),
      ),
    ).toEqual(['power done ?-07 2 on', 'power failed ?-07 1 c']);
  });

  test('has preparations and adoptions, from the begin of the first attempt', () => {
    const prepared = after([
      { minute: 3, state: 'preparing', began: 1, events: ['1 PreparationError: no RAID controller'] },
      { minute: 6, state: 'available', began: 4, events: ['2 PreparationComplete: Host prepared'] },
      { minute: 9, state: 'available', began: 8, events: ['3 PreparationComplete: Host prepared'] },
    ]);
    expect(told(prepared)).toEqual(['prepare done 01-06 1 Host prepared', 'prepare done 08-09 0 Host prepared']);
    const adopted: Write = { minute: 9, state: 'provisioned', events: ['1 AdoptionComplete: Host adopted'] };
    expect(told(after([{ ...adopted, began: 7 }]))).toEqual(['adopt done 07-09 0 Host adopted']);
    // Of a run that began the task with older code.
    expect(told(after([adopted]))).toEqual(['adopt done ?-09 0 Host adopted']);
  });

  test('has the deletion for as long as other finalizers keep the host', () => {
    const failing: Write = { minute: 8, state: 'deleting', events: ['5 ProvisioningError: no BMC'] };
    expect(told(after([failing]))).toEqual(['delete failed 00-08 1 no BMC']);
    const gone: Write = { minute: 9, state: 'deleting', isLeaving: true };
    expect(told(after([failing, gone, gone]))).toEqual(['delete done 00-09 1']);
    const forced: Write = { ...gone, events: ['6 NodeLeftBehind: node 1 may still be in Ironic'] };
    expect(told(after([failing, forced]))).toEqual(['delete done 00-09 1 node 1 may still be in Ironic']);
  });

  test('counts the Events of a memory that begins to number them anew', () => {
    const power: Write = { minute: 7, state: 'provisioned', events: ['5 PowerOn: on'] };
    expect(after([power, { ...power, memory: '17.2', events: ['1 PowerOff: off'] }])).toHaveLength(2);
  });

  test('says for whom it was, and who asked for it or approved it', () => {
    const asked = (what: string, minute: number, reason = 'loud'): HistoryEntry => ({
      at: at(minute),
      what,
      by: 'ada',
      reason,
    });
    const code = codeOf('u', 'provision', {});
    const provisioned: Write = {
      minute: 9,
      state: 'provisioned',
      spans: { provision: closed(at(9)) },
      events: ['1 ProvisioningComplete: done', '2 PowerOff: off', '3 PowerOn: on'],
      consumer: 'Metal3Machine metal/worker-1',
    };
    const messages = [asked('approve', 1, `${code}: go`), asked('power off', 2), asked('reinspect', 3)];
    const results = after([provisioned], messages);
    expect(results.map(({ asked: by, for: whom }) => [whom, by])).toEqual([
      ['Metal3Machine metal/worker-1', 'power off by ada: loud'],
      // Each message is for the next operation alone.
      ['Metal3Machine metal/worker-1', undefined],
      ['Metal3Machine metal/worker-1', `approve by ada: ${code}: go`],
    ]);
  });

  test('is left alone when a write ends no operation', () => {
    const writes: readonly Write[] = [
      { minute: 0, state: 'registering', spans: { register: open }, events: ['1 Registered: x'] },
      { minute: 1, state: 'registering', spans: { register: open }, events: ['2 OperationEnded: x'] },
    ];
    expect(after(writes)).toEqual([]);
  });
});

describe('the annotation', () => {
  const entry = (n: number, says = 'x'): OperationResult => ({ what: 'power', result: 'done', end: at(n), says });
  const lengthOf = (value: string): number => Buffer.byteLength(value);

  test('has twenty entries and 8 kB at most, the newest', () => {
    const many = Array.from({ length: 30 }, (_, n) => entry(n));
    expect(resultsOf({ 'temper/operations': resultsValue(many) })).toEqual(many.slice(-20));
    const long = resultsValue(many.map((_, n) => entry(n, 'ü"\n'.repeat(500))));
    expect(lengthOf(long)).toBeLessThanOrEqual(8_192);
    expect(resultsOf({ 'temper/operations': long }).at(-1)).toMatchObject({ end: at(29) });
    expect(resultsOf({ 'temper/operations': resultsValue([entry(1, 'ü'.repeat(500))]) })[0]?.says).toHaveLength(300);
  });

  test.each(['x', '{}', '[1]', '[{"what":"power"}]', '[{"what":"fly","result":"done","end":"x"}]'])(
    'with %j counts as empty, and nobody may write it',
    (value) => {
      expect(resultsOf({ 'temper/operations': value })).toEqual([]);
      expect(resultsProblem(value)).toContain('the list that Temper keeps');
      expect(resultsProblem(resultsValue([entry(1)]))).toBeUndefined();
    },
  );
});
