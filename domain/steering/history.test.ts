import { describe, expect, test } from 'vitest';
import { steeringChange } from '../host/steering/change.ts';
import { steerableHost } from '../host/steering/steerable.ts';
import { eventOf, type HistoryEntry, historyOf, historyValue, settledHistory, withMessage } from './history.ts';
import { type SteeringMessage, titleOf } from './messages.ts';

const { followed: FOLLOWED } = steerableHost;
const AT = '2026-01-01T00:00:00Z';
const LATER = '2026-01-02T00:00:00Z';
const ASKED = { by: 'ada', reason: 'the fan is loud' };
type Annotations = Readonly<Record<string, string>>;

/** The annotations after a message, as the bridge writes them. */
function after(before: Annotations, message: SteeringMessage, at = AT): Record<string, string> {
  const { annotations } = steeringChange({ annotations: before }, message);
  const changed = Object.fromEntries(
    Object.entries({ ...before, ...annotations }).flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
  ) as Record<string, string>;
  const entry = { at, what: titleOf(message), by: message.by, reason: message.reason, id: `id-${message.name}-${at}` };
  return { ...changed, 'temper/history': historyValue(withMessage([before, changed], entry, FOLLOWED)) };
}
const told = (annotations: Annotations): readonly string[] =>
  historyOf(annotations).map(({ what, by, open }) => `${what} ${by}${open ? ' open' : ''}`);

describe('the list on a host', () => {
  test('has each message, and which of them still hold', () => {
    const quarantined = after({}, { name: 'quarantine', ...ASKED });
    expect(quarantined).toMatchObject({ 'temper/quarantine': JSON.stringify(ASKED) });
    expect(told(quarantined)).toEqual(['quarantine ada open']);
    const released = after(quarantined, { name: 'release', by: 'bob', reason: 'new fan' }, LATER);
    expect(released).not.toHaveProperty('temper/quarantine');
    expect(told(released)).toEqual(['quarantine ada', 'release bob']);
    expect(told(after(released, { name: 'power', to: 'off', ...ASKED }))).toContain('power off ada');
  });

  test.each<SteeringMessage>([
    { name: 'pause', ...ASKED },
    { name: 'retry', ...ASKED },
    { name: 'abort', ...ASKED },
    { name: 'quarantine', ...ASKED },
    { name: 'reinspect', ...ASKED },
    { name: 'power', to: 'reboot', ...ASKED },
    { name: 'forceDelete', confirm: 'node-1', ...ASKED },
  ])('says all about $name when the message is written: nothing is added later', (message) => {
    const annotations = after({}, message);
    expect(settledHistory(annotations, LATER, FOLLOWED)).toEqual(historyOf(annotations));
  });

  test('is the same object when there is nothing to add, and empty for a host that nobody steers', () => {
    expect(settledHistory({}, AT, FOLLOWED)).toEqual([]);
    expect(settledHistory({ 'baremetalhost.metal3.io/paused': 'x', 'inspect.metal3.io': '' }, AT, FOLLOWED)).toEqual(
      [],
    );
  });

  test('gets what a person annotates, changes and removes without a message', () => {
    const set = { 'temper/quarantine': 'fan\nis loud' };
    const noted = settledHistory(set, AT, FOLLOWED);
    expect(noted).toEqual([{ at: AT, what: 'quarantine', by: '', reason: 'fan is loud', open: true }]);
    const known = { 'temper/history': historyValue(noted) };
    expect(settledHistory({ ...set, ...known }, LATER, FOLLOWED)).toEqual(noted);
    expect(
      settledHistory({ 'temper/quarantine': 'disk', ...known }, LATER, FOLLOWED).map(({ reason }) => reason),
    ).toEqual(['fan is loud', 'disk']);
    expect(settledHistory(known, LATER, FOLLOWED)).toEqual([
      { at: AT, what: 'quarantine', by: '', reason: 'fan is loud' },
      { at: LATER, what: 'release', by: '', reason: 'its annotation was removed' },
    ]);
  });

  test('does not take an annotation that a retry has handled for one that somebody removed', () => {
    const aborted = after({}, { name: 'abort', ...ASKED });
    const retried = after(aborted, { name: 'retry', ...ASKED }, LATER);
    const { 'temper/retry': _, ...handled } = retried;
    expect(settledHistory(handled, LATER, FOLLOWED).map(({ what }) => what)).toEqual(['abort', 'retry']);
  });

  test('tells of a pause that ends without a message, but not of pauses of others', () => {
    const { 'baremetalhost.metal3.io/paused': value, ...ended } = after({}, { name: 'pause', ...ASKED });
    expect(value).toBe('paused by ada: the fan is loud');
    expect(settledHistory(ended, LATER, FOLLOWED).map(({ what }) => what)).toEqual(['pause', 'resume']);
  });

  test('keeps the last twenty entries', () => {
    const entries = Array.from({ length: 30 }, (_, at): HistoryEntry => ({ at: `${at}`, what: 'power off', ...ASKED }));
    const value = historyValue(entries);
    expect(historyOf({ 'temper/history': value }).map(({ at }) => at)).toEqual(entries.slice(-20).map(({ at }) => at));
  });

  test('drops those last whose annotations are still there', () => {
    const held: HistoryEntry = { at: AT, what: 'abort', ...ASKED, open: true };
    const entries = Array.from({ length: 30 }, (_, at): HistoryEntry => ({ at: `${at}`, what: 'power off', ...ASKED }));
    const kept = historyOf({ 'temper/history': historyValue([held, ...entries]) });
    expect(kept).toEqual([held, ...entries.slice(-19)]);
  });

  test.each(['', 'x', '{}', '[1,null,"x",{"at":1}]', '[{"at":"a","what":"b","by":"c","reason":"d","open":"yes"}]'])(
    'is empty when somebody wrote %j',
    (value) => {
      expect(historyOf({ 'temper/history': value })).toEqual([]);
    },
  );
});

test('an Event tells who asked, and has the id of the message', () => {
  expect(eventOf({ at: AT, what: 'abort', ...ASKED, id: 'm1' })).toEqual({
    id: 'steered m1',
    reason: 'Aborted',
    message: 'abort by ada: the fan is loud',
  });
  expect(eventOf({ at: AT, what: 'power off', ...ASKED })).toMatchObject({
    id: `steered power off ${AT}`,
    reason: 'PowerRequested',
  });
});
