import { describe, expect, test } from 'vitest';
import type { NodeStateJson } from '../../domain/ironic/node/node-json.ts';
import { type BareMetalHostRead, readHost } from '../../kube/objects/baremetalhost.ts';
import { aNodeState } from '../../test/builders/node.ts';
import type { Written } from '../ledger.ts';
import { powerAtRest, switchedBetween } from './ironic-nodes.ts';

const aShownHost = (status: object = {}, spec: object = {}): BareMetalHostRead =>
  readHost({
    metadata: { name: 'h', namespace: 'metal', uid: 'u', resourceVersion: '1', generation: 1 },
    spec,
    status: { poweredOn: true, provisioning: { state: 'provisioned', ID: 'n' }, ...status },
  });
const listed = (more: Partial<NodeStateJson> = {}): NodeStateJson =>
  aNodeState({
    provision_state: 'active',
    power_state: 'power on',
    ...switched('2026-01-01T00:00:00.123456'),
    ...more,
  });
const switched = (at: string | null): Partial<NodeStateJson> => ({
  driver_internal_info: { last_power_state_change: at },
});
const written = (revision: number): Written => ({ run: 'r', revision }) as Written;
const powerOf = (host = aShownHost(), node = listed(), known: Partial<Parameters<typeof powerAtRest>[2]> = {}) =>
  powerAtRest(host, node, { written: written(1), writing: 0, ...known });

describe('a host at rest whose server was switched between two lists', () => {
  const later = listed(switched('2026-01-01T00:10:30.654321'));

  test('was switched by Ironic, at the time that Ironic says', () => {
    expect(switchedBetween(powerOf(), powerOf(aShownHost(), later))).toBe('2026-01-01T00:10:30Z');
  });
  test('was so for the first time', () => {
    const never = powerOf(aShownHost(), listed(switched(null)));
    expect(switchedBetween(never, powerOf())).toBe('2026-01-01T00:00:00Z');
  });
  test('was switched by Temper if its status was written between them', () => {
    const after = powerOf(aShownHost(), later, { written: written(2) });
    expect(switchedBetween(powerOf(), after)).toBeUndefined();
    const anew = powerOf(aShownHost(), later, { written: { ...written(1), run: 'another' } });
    expect(switchedBetween(powerOf(), anew)).toBeUndefined();
  });
  test('is not told without a list before', () => {
    expect(switchedBetween(undefined, powerOf())).toBeUndefined();
  });
});

test('nothing is told of a server that nobody switched, or of an Ironic that was restored from a backup', () => {
  expect(switchedBetween(powerOf(), powerOf())).toBeUndefined();
  expect(switchedBetween(powerOf(aShownHost(), listed(switched('2026-01-02T00:00:00'))), powerOf())).toBeUndefined();
});

test.each<[string, ReturnType<typeof powerOf>]>([
  ['shows another power', powerOf(aShownHost({ poweredOn: false }))],
  ['is in a state in which Ironic switches it', powerOf(aShownHost({ provisioning: { state: 'preparing', ID: 'n' } }))],
  ['has a node that Ironic works on', powerOf(aShownHost(), listed({ provision_state: 'servicing' }))],
  ['has a node that is being switched', powerOf(aShownHost(), listed({ target_power_state: 'power on' }))],
  ['is being written', powerOf(aShownHost(), listed(), { writing: 1 })],
  ['is never powered off', powerOf(aShownHost({}, { disablePowerOff: true }))],
  ['has an Ironic that does not say it', powerOf(aShownHost(), listed({ driver_internal_info: null }))],
])('a host is not at rest that %s', (_, power) => {
  expect(power).toBeUndefined();
});
