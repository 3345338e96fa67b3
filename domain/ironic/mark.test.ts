import { describe, expect, test } from 'vitest';
import { explained, explains, MARKED_REQUESTS, type Mark, markText, readMark, unsettled } from './mark.ts';

const AT = Date.parse('2026-01-01T00:00:00Z');
const MARK: Mark = { request: 'deleted', nodeId: 'n', uid: 'uid-1', at: '2026-01-01T00:00:00.000Z' };
const PATIENCE = { longestRequestMs: 120_000, lockDeadlineMs: 1_800_000 };
const NODE = { id: 'n', state: 'active', poweredOn: true, powerPending: false };
const after = (ms: number, node: object = {}, mark: Partial<Mark> = {}) =>
  unsettled({ ...MARK, ...mark }, { ...NODE, ...node }, ms, PATIENCE);

describe('a mark', () => {
  test.each(MARKED_REQUESTS)('is read as it was written: %s', (request) => {
    expect(readMark(markText({ ...MARK, request }), 'uid-1')).toEqual({ ...MARK, request });
  });

  test.each<[string, string | undefined]>([
    ['of another object', markText({ ...MARK, uid: 'uid-0' })],
    ['that is no JSON', 'deleted'],
    ['of an unknown request', JSON.stringify({ ...MARK, request: 'erase' })],
    ['without a time', JSON.stringify({ ...MARK, at: 'then' })],
    ['without a node', JSON.stringify({ ...MARK, nodeId: 1 })],
    ['that is null', 'null'],
    ['of endless length', `${markText(MARK)}${' '.repeat(300_000)}`],
    ['that is not there', undefined],
  ])('%s is none', (_, text) => {
    expect(readMark(text, 'uid-1')).toBeUndefined();
  });

  test('explains a change of the node that came in the time in which Ironic begins with requests', () => {
    expect(explains(MARK, AT + 60_000, PATIENCE)).toBe(true);
    expect(explains(MARK, AT + 3_600_000, PATIENCE)).toBe(false);
    expect(explains(MARK, AT - 3_600_000, PATIENCE)).toBe(false);
  });
});

describe('what became of a request without an answer', () => {
  test('is not known while Ironic may still begin with it', () => {
    expect(after(1_000)).toEqual({ kind: 'may begin', forMs: 119_000 });
  });

  test('is not known while Ironic holds the lock of the node', () => {
    expect(after(120_000, { locked: true })).toEqual({ kind: 'locked', isOverdue: false });
  });

  test('is a failure when the lock is never released', () => {
    const problem = after(1_800_001, { locked: true });
    expect(problem).toEqual({ kind: 'locked', isOverdue: true });
    expect(problem && explained('deleted', problem)).toContain('the conductor that took it may be dead');
  });

  test('is known when Ironic can not begin any more and the node is unlocked', () => {
    expect(after(120_000)).toBeUndefined();
  });

  test.each<[Mark['request'], object]>([
    ['deleted', { state: 'deleting', locked: true }],
    ['active', { state: 'deploying', locked: true }],
    ['power off', { poweredOn: false }],
    ['power on', { powerPending: true, poweredOn: false }],
    ['reboot', { powerPending: true }],
  ])('is known at once when the node shows it: %s', (request, node) => {
    expect(after(1_000, node, { request })).toBeUndefined();
  });

  test('about another node is no matter', () => {
    expect(after(1_000, { id: 'other' })).toBeUndefined();
  });
});
