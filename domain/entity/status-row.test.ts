import { describe, expect, test } from 'vitest';
import { statusRow, waitOfRow } from './status-row.ts';

const QUIET = { state: 'available', changedFields: '', wait: '', waitBefore: '' };
const QUARANTINE = 'in quarantine, by ann: the fan is loud; release ends that';
const APPROVAL = 'waiting for approval to erase the disks, and write another image over them';

describe('the row of a status', () => {
  test.each([
    ['its state', {}, 'Status available'],
    ['no state of a kind without states', { state: '' }, 'Status'],
    ['what was changed before', { changedFields: 'spec.image changed' }, 'Status available: spec.image changed'],
    ['the wait that has begun', { wait: 'waiting for a person' }, 'Status available: waits for a person'],
    [
      'the reason of a wait that is no sentence',
      { wait: QUARANTINE },
      `Status available: waits: ${QUARANTINE}`.slice(0, 79).concat('…'),
    ],
    ['the wait that has ended', { waitBefore: 'waiting for x' }, 'Status available: no longer waits for x'],
    ['the new reason alone when it has changed', { wait: 'loud', waitBefore: 'hot' }, 'Status available: waits: loud'],
    ['nothing of a wait that it told before', { wait: QUARANTINE, waitBefore: QUARANTINE }, 'Status available'],
    [
      'changes and wait, with room for both',
      { changedFields: 'spec.image changed, spec.online changed, spec.raid changed', wait: APPROVAL },
      'Status available: spec.image changed, spec.online…; waits for approval to erase…',
    ],
  ])('says %s', (_, change, row) => {
    expect(statusRow({ ...QUIET, ...change })).toBe(row);
  });
});

describe('a wait is told by a row', () => {
  const reason = 'in quarantine';
  test.each([
    ['when a person ends it', { reason }, 'person', reason],
    ['when its window is never open', { reason }, 'person', reason],
    ['with the cause, where the reason says more', { reason, cause: 'HTTP 401' }, 'person', 'HTTP 401'],
    ['but not beside the timer that shows it', { reason, until: 1 }, 'person', ''],
    ['but not when it ends by itself', { reason }, 'hardware', ''],
    ['but not when it is a rest', { reason }, undefined, ''],
  ] as const)('%s', (_, step, waitsFor, told) => {
    expect(waitOfRow({ kind: 'wait', ...step }, waitsFor)).toBe(told);
  });
});
