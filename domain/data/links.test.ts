import { describe, expect, test } from 'vitest';
import type { NetworkData } from '../../api/metal3datatemplate/schema.ts';
import { DataProblem } from './facts.ts';
import { renderLinks } from './links.ts';

type MacAddress = NonNullable<NonNullable<NonNullable<NetworkData['links']>['ethernets']>[number]['macAddress']>;

const named = (name: string, annotations: Record<string, string> = {}) => ({
  namespace: 'metal3',
  name,
  labels: {},
  annotations,
});
const facts = {
  metal3Machine: named('m3m-1', { empty: '' }),
  machine: named('machine-1', { mac: 'none at all' }),
  host: { ...named('host-1'), nics: [{ name: 'eth1' }] },
};
const problemOf = (macAddress: MacAddress) => (): unknown =>
  renderLinks({ ethernets: [{ id: 'nic-0', type: 'phy', mtu: 1500, macAddress }] }, facts);

describe('a link without a MAC address', () => {
  test.each<[string, MacAddress]>([
    [
      'annotation mac not found or empty on metal3machine m3m-1 (link nic-0)',
      { fromAnnotation: { object: 'metal3machine', annotation: 'mac' } },
    ],
    [
      'annotation empty not found or empty on metal3machine m3m-1 (link nic-0)',
      { fromAnnotation: { object: 'metal3machine', annotation: 'empty' } },
    ],
    ['NIC eth1 of BareMetalHost host-1 has none (link nic-0)', { fromHostInterface: 'eth1' }],
    ['none is given (link nic-0)', {}],
  ])('says which one, and where it was looked for: %s', (where, macAddress) => {
    expect(problemOf(macAddress)).toThrow(new DataProblem(`bad MAC address: ${where}`));
  });

  test('is distinguished from one with something else in its place', () => {
    const somethingElse = { fromAnnotation: { object: 'machine', annotation: 'mac' } } as const;
    expect(problemOf(somethingElse)).toThrow(new DataProblem('bad MAC address: none at all'));
  });
});
