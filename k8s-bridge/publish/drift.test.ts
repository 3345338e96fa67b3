import { describe, expect, test } from 'vitest';
import { DEFAULT_HOST_SETTINGS } from '../../domain/host/memory/settings.ts';
import { KINDS } from '../../kube/kinds.ts';
import { isPending as pending, readObject } from '../../kube/objects/any-object.ts';
import { createStore, type Entry } from '../../kube/store.ts';
import { createHostTally } from '../bindings/baremetalhost/tally.ts';
import { hostBinding } from '../bindings/baremetalhost.ts';
import { digestOfStatus } from '../digest.ts';
import { awaitsEcho, type Written } from '../ledger.ts';
import { driftOf } from './drift.ts';

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
const NOW = 1_000;
const WRITTEN: Written = {
  run: 'run-1',
  revision: 5,
  viewAt: 900,
  at: NOW,
  resourceVersion: '100',
  status: digestOfStatus(STATUS),
  held: true,
  letGo: false,
  own: { state: 'available', hardwareVersion: '50', failCount: 0 },
};

const binding = hostBinding({
  settings: DEFAULT_HOST_SETTINGS,
  tally: createHostTally({ record: () => undefined, forget: () => undefined, measured: [] }),
});

/** As the bridge looks at a host `sinceMs` after it wrote to it. */
function hasDrifted(entry: Entry, written: Written | undefined, hardwareVersion: string, sinceMs = 0): boolean {
  if (written === undefined || awaitsEcho(entry, written, NOW + sinceMs)) return false;
  const stores = createStore();
  const { namespace, name } = entry;
  stores.put(KINDS.hardwareData, { namespace, name, uid: 'h', resourceVersion: hardwareVersion, object: {} });
  return driftOf(binding, { entry, written, stores }) === 'drifted';
}
const isPending = (entry: Entry): boolean => pending(readObject(entry.object));

function anEntry({ status = STATUS as object, ...metadata }: Record<string, unknown> & { status?: object } = {}) {
  const identity = { namespace: 'metal', name: 'node-1', uid: 'u', resourceVersion: '100', ...metadata };
  const defaults = { generation: 2, finalizers: ['baremetalhost.metal3.io'] };
  return {
    ...identity,
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

  test('when it goes on being seen as it was before: the API server was set back', () => {
    expect(hasDrifted(anEntry({ resourceVersion: '99', status: {} }), WRITTEN, '50', 10_000)).toBe(true);
  });

  test('not by hardware that is found while it is still inspected', () => {
    const written = { ...WRITTEN, own: { ...WRITTEN.own, state: 'inspecting' } };
    expect(hasDrifted(anEntry(), written, '51')).toBe(false);
  });

  test('not once it was let go', () => {
    const entry = anEntry({ resourceVersion: '101', finalizers: [], deletionTimestamp: '2026-01-01T00:00:00Z' });
    expect(hasDrifted(entry, { ...WRITTEN, held: false, letGo: true }, '50')).toBe(false);
  });

  test('not when nothing was written yet', () => {
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
