import { describe, expect, test } from 'vitest';
import { aDiscoveredHost, aKnownHost } from '../../test/builders/discovery.ts';
import { superseded } from './known-hosts.ts';

const mine = aKnownHost({ bootMac: '52:54:00:00:00:01', nodeId: 'node-0' });

describe('a discovered host', () => {
  test('gives way to a registered host of a user for the same machine', () => {
    const host = aDiscoveredHost();
    expect(superseded([host, mine])).toEqual([host]);
  });

  test.each([
    ['has another bootMACAddress', { bootMac: '52:54:00:00:00:ff', macs: ['52:54:00:00:00:01'] }],
    ['has no bootMACAddress', { bootMac: '', macs: ['52:54:00:00:00:01'] }],
  ])('gives way to one that %s, by the hardware of that', (_, other) => {
    const host = aDiscoveredHost();
    expect(superseded([host, { ...mine, ...other }])).toEqual([host]);
  });

  test('stays beside one that only has the MAC address which the vendor gives to every server', () => {
    const usb = 'fe:ed:00:00:00:01';
    const host = aDiscoveredHost({ macs: ['52:54:00:00:00:01', usb], reportedBmcAddress: '192.0.2.7' });
    const other = { ...mine, bootMac: '52:54:00:00:00:ff', macs: ['52:54:00:00:00:ff', usb] };
    expect(superseded([host, other])).toEqual([]);
  });

  test.each([
    ['the other is not registered yet', {}, { nodeId: '' }],
    ['the other has no BMC details', {}, { hasBmcDetails: false }],
    ['the other has another machine', {}, { bootMac: '52:54:00:00:00:ff' }],
    ['it has BMC details itself', { hasBmcDetails: true }, {}],
    ['it is being deleted already', { isDeleting: true }, {}],
    ['a user has created it', { isDiscovered: false }, {}],
    ['it is registered', { state: 'available' }, {}],
  ])('stays when %s', (_, host, other) => {
    expect(superseded([aDiscoveredHost(host), { ...mine, ...other }])).toEqual([]);
  });
});
