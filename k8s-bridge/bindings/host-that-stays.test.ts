import { beforeEach, describe, expect, test } from 'vitest';
import { consumerOf } from '../../domain/machine/choose-host/host-facts.ts';
import { type FollowedKind, KINDS } from '../../kube/kinds.ts';
import { readObject } from '../../kube/objects/any-object.ts';
import { hostPath } from '../../kube/paths.ts';
import { createStore, type Entry, type Store } from '../../kube/store.ts';
import { putIn } from '../../test/builders/stored-objects.ts';
import type { Binding } from '../binding.ts';
import { machineBinding } from './machine.ts';
import { machineApiBinding } from './machine-api/machine.ts';

const newsOf = () => ({ bridge: 'b', count: 0 });
const HOST = 'metal3.io/BareMetalHost';
const GOING = { deletionTimestamp: '2026-01-02T00:00:00Z' };
/** What the API server has; the cache may be late. */
let present: Map<string, unknown>;
let stores: Store;
beforeEach(() => {
  present = new Map();
  stores = createStore();
});
const kube = { find: async (path: string) => present.get(path) } as never;

const settings = { isController: true, fastTrack: false };
describe.each<[string, FollowedKind, Binding]>([
  [
    'a Metal3Machine',
    KINDS.metal3Machine,
    machineBinding({ settings: { providerIdFormat: 'names', fastTrack: false }, newsOf, driftOf: () => undefined }),
  ],
  [
    'a Machine of the Machine API',
    KINDS.openShiftMachine,
    machineApiBinding(KINDS.openShiftMachine, { settings, defaults: {}, newsOf }),
  ],
])('%s that goes', (_, followed, binding) => {
  const { apiVersion } = followed;
  const api = followed === KINDS.metal3Machine ? {} : { api: apiVersion };
  const consumerRef = consumerOf({ namespace: 'metal', name: 'm1', ...api });
  const machine = (annotations: Record<string, string> = {}): Entry => {
    const parts = { apiVersion, kind: 'Any', metadata: { annotations, ...GOING }, spec: {} };
    return putIn(stores, followed, 'm1', parts);
  };
  const aHost = (name: string, spec: object = { consumerRef }): Entry => {
    const entry = putIn(createStore(), KINDS.host, name, { spec });
    present.set(hostPath(entry), entry.object);
    return entry;
  };
  const hindrance = (annotations: Record<string, string>, shown: Record<string, string> = {}) =>
    binding.hindranceToLeave?.({
      object: readObject(machine(annotations).object),
      view: { shown: { annotations: shown } },
      stores,
      kube,
    });

  test('waits for the host that it names, and has it still', async () => {
    expect(await hindrance({})).toBeUndefined();
    aHost('a');
    expect(await hindrance({ [HOST]: 'metal/a' })).toBe('host a still belongs to it');
    aHost('a', {});
    expect(await hindrance({ [HOST]: 'metal/a' })).toBeUndefined();
  });
  test('waits for a host that only its view names, because the claim was just answered', async () => {
    aHost('a');
    expect(await hindrance({}, { [HOST]: 'metal/a' })).toBe('host a still belongs to it');
  });
  test('waits for each host of which it is the consumer, and shows that one to its workflow', async () => {
    putIn(stores, KINDS.host, 'a', { spec: {} });
    aHost('a', {});
    const other = aHost('b');
    stores.put(KINDS.host, other);
    expect(await hindrance({ [HOST]: 'metal/a' })).toBe('host b still belongs to it');
    const seen = binding.observe(machine({ [HOST]: 'metal/a' }), stores, { written: undefined, now: 0 });
    expect(seen).toMatchObject({ host: { name: 'b' } });
  });
});
