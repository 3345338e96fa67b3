import { describe, expect, test } from 'vitest';
import { hasDrifted, isPending } from './repair.ts';

const STATUS = {
  poweredOn: false,
  lastUpdated: '2026-01-01T00:00:00Z',
  conditions: [
    {
      type: 'Ready',
      status: 'True',
      reason: 'Provisioned',
      message: '',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration: 2,
    },
  ],
};
const WRITTEN = {
  run: 'run-1',
  revision: 5,
  at: 1000,
  resourceVersion: '100',
  hardwareVersion: '50',
  status: STATUS,
  finalizer: true,
  failCount: 0,
};

function anEntry({ status = STATUS as object, ...metadata }: Record<string, unknown> & { status?: object } = {}) {
  const identity = { namespace: 'metal', name: 'node-1', uid: 'u', resourceVersion: '100', ...metadata };
  const defaults = { generation: 2, finalizers: ['baremetalhost.metal3.io'] };
  return {
    ...identity,
    secrets: [],
    object: { metadata: { ...defaults, ...identity }, spec: { online: true }, status },
  };
}

describe('a host has drifted', () => {
  test('not while it shows what was written', () => {
    expect(hasDrifted(anEntry(), WRITTEN, '50')).toBe(false);
  });

  test.each([
    ['its status was edited', anEntry({ resourceVersion: '101', status: { ...STATUS, poweredOn: true } }), '50'],
    ['its status was removed', anEntry({ resourceVersion: '101', status: {} }), '50'],
    ['its finalizer was taken off', anEntry({ resourceVersion: '101', finalizers: [] }), '50'],
    ['its generation is newer than the conditions', anEntry({ resourceVersion: '101', generation: 3 }), '50'],
    ['its HardwareData is newer than what is shown', anEntry(), '51'],
    [
      'hardware is given by annotation',
      anEntry({ resourceVersion: '101', annotations: { 'inspect.metal3.io/hardwaredetails': '{}' } }),
      '50',
    ],
  ])('when %s', (_, entry, hardwareVersion) => {
    expect(hasDrifted(entry, WRITTEN, hardwareVersion)).toBe(true);
  });

  test('not by being seen as it was before the last write', () => {
    expect(hasDrifted(anEntry({ resourceVersion: '99', status: {} }), WRITTEN, '50')).toBe(false);
  });

  test('not once it was let go', () => {
    const entry = anEntry({ resourceVersion: '101', finalizers: [], deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(hasDrifted(entry, { ...WRITTEN, finalizer: false }, '50')).toBe(false);
  });

  test('not as far as anybody knows when nothing was written yet', () => {
    expect(hasDrifted(anEntry(), undefined, '50')).toBe(false);
  });
});

describe('a host has something to do', () => {
  test.each([
    ['without a status', anEntry({ status: {} }), true],
    ['being deleted', anEntry({ deletionTimestamp: '2026-01-01T00:00:00Z' }), true],
    ['changed since it was looked at', anEntry({ generation: 3 }), true],
    ['at rest', anEntry(), false],
  ])('%s', (_, entry, pending) => {
    expect(isPending(entry)).toBe(pending);
  });
});
