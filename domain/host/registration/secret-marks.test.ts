import { describe, expect, test } from 'vitest';
import { type MarksOnSecret, outdatedMarks, type SecretUser } from './secret-marks.ts';

const owner = (uid: string) => ({ name: uid, uid });
const marks = (change: Partial<MarksOnSecret> = {}): MarksOnSecret => ({
  held: true,
  labelled: true,
  owners: [owner('a')],
  deleting: false,
  ...change,
});
const holds = (uid: string): SecretUser => ({ uid, holds: true });
const reads = (uid: string): SecretUser => ({ uid, holds: false });

/** All hosts exist but `gone`; `waiting` has not marked the Secret that it names now. */
const outdated = (secret: MarksOnSecret, ...users: readonly SecretUser[]) =>
  outdatedMarks(secret, users, { isThere: (uid) => uid !== 'gone', isSettled: (uid) => uid !== 'waiting' });

const ALL = { finalizer: true, label: true, owners: ['a'] };

describe('a Secret with our finalizer', () => {
  test.each<[string, MarksOnSecret, readonly SecretUser[], ReturnType<typeof outdated>]>([
    ['that its host names keeps all', marks(), [holds('a')], undefined],
    ['that no host names loses all', marks(), [], ALL],
    ['that a host still reads keeps the label', marks(), [reads('b')], { ...ALL, label: false }],
    [
      'that another host names loses one owner',
      marks({ owners: [owner('a'), owner('b')] }),
      [holds('b')],
      {
        finalizer: false,
        label: false,
        owners: ['a'],
      },
    ],
    [
      'that was shared is released with the last host',
      marks({ owners: [owner('a'), owner('b')] }),
      [],
      {
        ...ALL,
        owners: ['a', 'b'],
      },
    ],
    [
      'whose host is gone keeps that owner, so that it is deleted too',
      marks({ owners: [owner('gone')] }),
      [],
      {
        ...ALL,
        owners: [],
      },
    ],
    ['whose host has not marked its new Secret keeps all', marks({ owners: [owner('waiting')] }), [], undefined],
    ['without owners, that no host names, loses the rest', marks({ owners: [] }), [], { ...ALL, owners: [] }],
    ['without the label has none to lose', marks({ labelled: false }), [], { ...ALL, label: false }],
  ])('%s', (_, secret, users, expected) => {
    expect(outdated(secret, ...users)).toEqual(expected);
  });
});

test('a Secret without our finalizer is not ours, whoever owns it', () => {
  expect(outdated(marks({ held: false }))).toBeUndefined();
});
