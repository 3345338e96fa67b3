import { describe, expect, test } from 'vitest';
import type { Inventory } from '../hardware/inventory.ts';
import { machineOf } from './machine.ts';

const CALL = { nodeId: 'node-1', calledAt: 7 };
const nic = (mac_address: string) => ({ name: 'eth', mac_address });
const read = (inventory: Inventory) => machineOf(CALL, inventory, {});

describe('the inventory of a discovered machine', () => {
  test('says its MAC addresses, the one it booted from, its BMC and its boot mode', () => {
    const inventory = {
      interfaces: [nic('52:54:00:00:00:0A'), nic('52:54:00:00:00:0b'), nic('52:54:00:00:00:0a')],
      boot: { current_boot_mode: 'bios', pxe_interface: '01-52-54-00-00-00-0B' },
      bmc_address: '192.0.2.7',
      bmc_v6address: 'FD00::7/64',
    };
    expect(read(inventory)).toMatchObject({
      ...CALL,
      bootMac: '52:54:00:00:00:0b',
      macs: ['52:54:00:00:00:0a', '52:54:00:00:00:0b'],
      bmcAddresses: ['192.0.2.7', 'fd00::7'],
      bootsLegacy: true,
    });
  });

  test.each([
    ['has none', null],
    ['is not one of the machine', '52:54:00:00:00:ff'],
    ['is none', 'eth0'],
  ])('says the first MAC address where that of the boot %s', (_, pxe_interface) => {
    const inventory = { interfaces: [nic('52:54:00:00:00:01'), nic('52:54:00:00:00:02')], boot: { pxe_interface } };
    expect(read(inventory)).toMatchObject({ bootMac: '52:54:00:00:00:01', bmcAddresses: [], bootsLegacy: false });
  });

  test.each(['0.0.0.0', '::/0', ''])('has no BMC at "%s"', (bmc_address) => {
    expect(read({ interfaces: [nic('52:54:00:00:00:01')], bmc_address })).toMatchObject({ bmcAddresses: [] });
  });

  test.each(['', '00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff', '01:00:5e:00:00:01', '52:54:00:00:00', '../../x'])(
    'with no MAC address but "%s" is useless',
    (mac) => {
      expect(read({ interfaces: [nic(mac)] })).toEqual({ problem: 'its inventory has no valid MAC address' });
    },
  );

  test('that fills an object of the API server is refused', () => {
    const inventory = { interfaces: [nic('52:54:00:00:00:01')], hostname: 'x'.repeat(300_000) };
    expect(read(inventory)).toEqual({ problem: 'its inventory is too large' });
  });
});
