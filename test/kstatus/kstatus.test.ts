import { describe, expect, test } from 'vitest';
import { kstatusOf } from './kstatus.ts';

const AT = '2026-01-01T00:00:00Z';
const SAID = { reason: 'Because', message: '', lastTransitionTime: AT, observedGeneration: 1 };
type Said = readonly [type: string, status: 'True' | 'False' | 'Unknown'];
const anObject = (
  conditions: readonly Said[],
  more: { readonly metadata?: object; readonly status?: object } = {},
) => ({
  metadata: { generation: 2, ...more.metadata },
  status: {
    conditions: conditions.map(([type, status]) => ({ ...SAID, type, status })),
    ...more.status,
  },
});

describe('kstatus', () => {
  test.each([
    ['an object without a status', { metadata: {} }, 'Current'],
    ['an object without conditions that it knows', anObject([['Healthy', 'False']]), 'Current'],
    ['an object that is ready, whatever the generation of the condition', anObject([['Ready', 'True']]), 'Current'],
    ['an object that is not ready', anObject([['Ready', 'False']]), 'InProgress'],
    ['an object of which nobody knows whether it is ready', anObject([['Ready', 'Unknown']]), 'InProgress'],
    [
      'an object that is ready and reconciling',
      anObject([
        ['Ready', 'True'],
        ['Reconciling', 'True'],
      ]),
      'InProgress',
    ],
    [
      'an object that is ready and no longer reconciling',
      anObject([
        ['Ready', 'True'],
        ['Reconciling', 'False'],
      ]),
      'Current',
    ],
    [
      'an object that is stalled',
      anObject([
        ['Ready', 'False'],
        ['Stalled', 'True'],
      ]),
      'Failed',
    ],
    [
      'an object that is both, by the first in the list',
      anObject([
        ['Reconciling', 'True'],
        ['Stalled', 'True'],
      ]),
      'InProgress',
    ],
    [
      'an object whose status is of an older generation',
      anObject([['Ready', 'True']], { status: { observedGeneration: 1 } }),
      'InProgress',
    ],
    [
      'an object that is being deleted',
      anObject([['Ready', 'True']], { metadata: { deletionTimestamp: AT } }),
      'Terminating',
    ],
  ])('takes %s for %#: %s', (_, object, expected) => {
    expect(kstatusOf(object)).toBe(expected);
  });
});
