import { describe, expect, test } from 'vitest';
import { areDifferent, bmcKey } from './same-machine.ts';

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

test('the address of a BMC is the same in all spellings, and a host name in upper and lower case', () => {
  expect(new Set(['fd00::7', 'FD00:0:0::7', 'fd00:0000::0007'].map(bmcKey)).size).toBe(1);
  expect(bmcKey('::ffff:192.0.2.7')).toBe(bmcKey('192.0.2.7'));
  expect(bmcKey('BMC.example.com')).toBe(bmcKey('bmc.example.com'));
});
