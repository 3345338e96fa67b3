import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createMachineIndex } from './machine-index.ts';
import { areDifferent, type MachineIdentity } from './same-machine.ts';

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
    let reads = 0;
    const machine = (at: number): MachineIdentity => {
      const bootMac = `52:54:00:00:${at >> 8}:${at & 255}`;
      const bmcAddresses = [`10.0.${at >> 8}.${at & 255}`];
      const read = <Part>(part: Part): Part => {
        reads += 1;
        return part;
      };
      return {
        bootMac,
        get macs() {
          return read([bootMac, shared]);
        },
        get bmcAddresses() {
          return read(bmcAddresses);
        },
      };
    };
    for (let at = 0; at < 10_000; at++) index.add(at, machine(at));
    reads = 0;
    expect([...index.alike(machine(10_000))]).toEqual([]);
    expect(new Set(index.alike(machine(77)))).toEqual(new Set([77]));
    expect([...index.alike(machine(77))].length).toBeLessThan(10);
    expect(reads).toBeLessThan(20);
  });
});
