import { describe, expect, test } from 'vitest';
import { isOutdated } from './ledger.ts';

const written = {
  run: 'run-1',
  revision: 5,
  at: 1000,
  resourceVersion: '1',
  hardwareVersion: '',
  status: {},
  finalizer: true,
  failCount: 0,
};
const fromWorkflow = { kind: 'workflow' } as const;
const askedAt = (at: number) => ({ kind: 'query', askedAt: at }) as const;

describe('a view is outdated', () => {
  test('when its run has shown a later one', () => {
    expect(isOutdated({ run: 'run-1', revision: 4 }, fromWorkflow, written)).toBe(true);
    expect(isOutdated({ run: 'run-1', revision: 4 }, askedAt(2000), written)).toBe(true);
  });

  test('not when it is the one that was shown last, or a later one', () => {
    expect(isOutdated({ run: 'run-1', revision: 5 }, fromWorkflow, written)).toBe(false);
    expect(isOutdated({ run: 'run-1', revision: 6 }, askedAt(500), written)).toBe(false);
  });

  test('not when its workflow was started anew, unless the answer was asked for before the last was written', () => {
    expect(isOutdated({ run: 'run-2', revision: 1 }, fromWorkflow, written)).toBe(false);
    expect(isOutdated({ run: 'run-2', revision: 1 }, askedAt(1001), written)).toBe(false);
    expect(isOutdated({ run: 'run-0', revision: 9 }, askedAt(999), written)).toBe(true);
  });

  test('never when nothing was written', () => {
    expect(isOutdated({ run: 'run-1', revision: 1 }, askedAt(0), undefined)).toBe(false);
  });
});
