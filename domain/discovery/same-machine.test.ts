import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { areDifferent, bmcKey, createMachineIndex, type MachineIdentity } from './same-machine.ts';

const USB = 'fe:ed:00:00:00:01';
const one = { bootMac: '52:54:00:00:00:01', macs: ['52:54:00:00:00:01', USB], bmcAddresses: ['192.0.2.1'] };
const other = { bootMac: '52:54:00:00:00:02', macs: ['52:54:00:00:00:02', USB], bmcAddresses: ['192.0.2.2'] };

describe('two machines with the same MAC address', () => {
  test('are different with other boot MAC addresses and other BMCs', () => {
    expect(areDifferent(one, other)).toBe(true);
  });

  test.each([
    ['both boot from it', { bootMac: USB }, { bootMac: USB }],
    ['both boot from it, and their hardware is not known', { bootMac: USB, macs: [] }, { bootMac: USB, macs: [] }],
    ['the boot MAC address of one is not known', {}, { bootMac: '', macs: [USB] }],
    ['one boots from an address of the other', {}, { macs: [USB, one.bootMac] }],
    ['their BMCs have the same address', {}, { bmcAddresses: ['192.0.2.1'] }],
    [
      'one of the addresses of their BMCs is the same',
      { bmcAddresses: ['192.0.2.1', 'fd00::7'] },
      { bmcAddresses: ['192.0.2.2', 'FD00:0::7'] },
    ],
    ['the BMC of one is not known', {}, { bmcAddresses: [] }],
    ['the BMC of one is a host name', {}, { bmcAddresses: ['bmc.example.com'] }],
    ['the addresses of their BMCs are of different families', {}, { bmcAddresses: ['fd00::7'] }],
  ])('may be one machine when %s', (_, change, otherChange) => {
    const pair = [
      { ...one, ...change },
      { ...other, ...otherChange },
    ] as const;
    expect([areDifferent(...pair), areDifferent(pair[1], pair[0])]).toEqual([false, false]);
  });
});

describe('an index of machines', () => {
  /** Few values each, so that many machines share them. */
  const macs = ['52:54:00:00:00:0a', '52:54:00:00:00:0b', '52:54:00:00:00:0c', '52:54:00:00:00:0d'];
  const addresses = ['192.0.2.1', '192.0.2.2', '::ffff:192.0.2.1', 'fd00::1', 'FD00:0::1', 'bmc.example.com', ''];
  const aMachine: fc.Arbitrary<MachineIdentity> = fc.record({
    bootMac: fc.constantFrom('', ...macs),
    macs: fc.subarray(macs),
    bmcAddresses: fc.subarray(addresses, { maxLength: 2 }),
  });
  const sharesMac = (one: MachineIdentity, other: MachineIdentity): boolean =>
    [one.bootMac, ...one.macs].some((mac) => mac !== '' && [other.bootMac, ...other.macs].includes(mac));

  test('finds exactly those that share a MAC address and are not different', () => {
    fc.assert(
      fc.property(fc.array(aMachine, { maxLength: 8 }), aMachine, (machines, asked) => {
        const index = createMachineIndex<MachineIdentity>();
        for (const machine of machines) index.add(machine, machine);
        const alike = machines.filter((machine) => sharesMac(machine, asked) && !areDifferent(machine, asked));
        expect(new Set(index.alike(asked))).toEqual(new Set(alike));
      }),
      { numRuns: 1_000, seed: 7 },
    );
  });

  test('looks at few of ten thousand machines that share a MAC address', () => {
    const index = createMachineIndex<number>();
    const shared = 'fe:ed:00:00:00:01';
    const machine = (at: number): MachineIdentity => {
      const bootMac = `52:54:00:00:${at >> 8}:${at & 255}`;
      return { bootMac, macs: [bootMac, shared], bmcAddresses: [`10.0.${at >> 8}.${at & 255}`] };
    };
    for (let at = 0; at < 10_000; at++) index.add(at, machine(at));
    expect([...index.alike(machine(10_000))]).toEqual([]);
    expect(new Set(index.alike(machine(77)))).toEqual(new Set([77]));
    expect([...index.alike(machine(77))].length).toBeLessThan(10);
  });
});

test('the address of a BMC is the same in all spellings, and a host name in upper and lower case', () => {
  expect(new Set(['fd00::7', 'FD00:0:0::7', 'fd00:0000::0007'].map(bmcKey)).size).toBe(1);
  expect(bmcKey('::ffff:192.0.2.7')).toBe(bmcKey('192.0.2.7'));
  expect(bmcKey('BMC.example.com')).toBe(bmcKey('bmc.example.com'));
});
