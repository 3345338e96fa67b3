import { describe, expect, test } from 'vitest';
import type { Mark } from './mark.ts';
import { BUSY_NODE_STATES, RESTING_NODE_STATES } from './node/node.ts';
import { isBegunByUs, isOccupied, occupiedInWords, saysOccupied } from './occupied.ts';

const PATIENCE = { longestRequestMs: 120_000, lockDeadlineMs: 1_800_000 };
const MARK: Mark = { request: 'active', nodeId: 'n', uid: 'uid-1', at: '2026-01-01T00:00:00Z' };
const changed = (at: string | null, uuid = 'n') => ({ uuid, provision_updated_at: at });

test.each([...BUSY_NODE_STATES, ...RESTING_NODE_STATES])('a node in %s is occupied, or not', (state) => {
  const free = [
    'enroll',
    'verifying',
    'manageable',
    'available',
    'inspecting',
    'inspect wait',
    'inspect failed',
    'cleaning',
    'clean wait',
    'clean hold',
    'clean failed',
    'adopt failed',
    'deploy failed',
    'deleting',
    'error',
  ];
  expect(isOccupied({ state })).toBe(!free.includes(state));
});

describe('a deployment is ours', () => {
  test.each([
    ['2026-01-01T00:00:01Z', true],
    ['2026-01-01T00:02:00Z', true],
    ['2026-01-01T00:02:31+00:00', false],
    ['2026-01-02T00:00:01Z', false],
    ['2025-12-31T23:58:00Z', false],
    [null, false],
  ])('when the node changed at %s, soon after the mark: %s', (at, isOurs) => {
    expect(isBegunByUs(MARK, changed(at), PATIENCE)).toBe(isOurs);
  });

  test.each<[string, Mark | undefined]>([
    ['there is no mark', undefined],
    ['the mark is of another node', { ...MARK, nodeId: 'm' }],
    ['the mark is of another request', { ...MARK, request: 'power on' }],
  ])('not when %s', (_, mark) => {
    expect(isBegunByUs(mark, changed('2026-01-01T00:00:01Z'), PATIENCE)).toBe(false);
  });
});

test('the words are known again', () => {
  expect(saysOccupied(occupiedInWords({ id: 'n', state: 'active' }))).toBe(true);
  expect(saysOccupied('Image provisioning failed: no disk')).toBe(false);
  expect(saysOccupied(undefined)).toBe(false);
});
