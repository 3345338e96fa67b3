import { describe, expect, test } from 'vitest';
import { detailsFromInventory } from './details.ts';

const inventory = {
  hostname: 'agent-1',
  system_vendor: {
    manufacturer: 'Lab',
    product_name: 'L16',
    serial_number: 'S1',
    firmware: { vendor: 'Lab', version: '1.2', build_date: '01/02/2026' },
  },
  memory: { physical_mb: 65_536 },
  cpu: { architecture: 'x86_64', model_name: 'Lab CPU', frequency: '2399.6', count: 16, flags: ['vmx', 'aes'] },
  interfaces: [
    {
      name: 'eth0',
      mac_address: '52:54:00:00:00:01',
      ipv4_address: '10.0.0.1',
      ipv6_address: 'fd00::1',
      vendor: '0x8086',
      product: '0x1572',
      speed_mbps: 25_999,
      pci_address: '0000:01:00.0',
    },
    { name: 'eth1', mac_address: '52:54:00:00:00:02', product: '0x1572' },
  ],
  disks: [
    {
      name: '/dev/sda',
      by_path: '/dev/disk/by-path/pci-1',
      rotational: true,
      size: 480_103_981_056,
      vendor: 'Lab',
      model: 'Spin',
      serial: 'D1',
      wwn: '0x1',
      wwn_with_extension: '0x12',
      wwn_vendor_extension: '0x2',
      hctl: '0:0:0:0',
    },
    { name: '/dev/nvme0n1', rotational: false, size: 1 },
    { name: '/dev/sdb' },
  ],
};

const plugins = {
  all_interfaces: { eth0: { pxe_enabled: true } },
  parsed_lldp: { eth0: { switch_chassis_id: 'aa:bb', switch_port_id: 'p1', switch_system_name: 'tor-1' } },
};

describe('hardware details', () => {
  test('are what the inventory tells', () => {
    const nic = {
      name: 'eth0',
      model: '0x8086 0x1572',
      mac: '52:54:00:00:00:01',
      speedGbps: 25,
      pxe: true,
      lldp: { switchID: 'aa:bb', portID: 'p1', switchSystemName: 'tor-1' },
      pciAddress: '0000:01:00.0',
    };
    expect(detailsFromInventory(inventory, plugins)).toEqual({
      systemVendor: { manufacturer: 'Lab', productName: 'L16', serialNumber: 'S1' },
      firmware: { bios: { date: '01/02/2026', vendor: 'Lab', version: '1.2' } },
      ramMebibytes: 65_536,
      nics: [
        { ...nic, ip: '10.0.0.1' },
        { ...nic, ip: 'fd00::1' },
        { name: 'eth1', model: '0x1572', mac: '52:54:00:00:00:02' },
      ],
      storage: [
        {
          name: '/dev/disk/by-path/pci-1',
          alternateNames: ['/dev/sda', '/dev/disk/by-path/pci-1'],
          rotational: true,
          type: 'HDD',
          sizeBytes: 480_103_981_056,
          vendor: 'Lab',
          model: 'Spin',
          serialNumber: 'D1',
          wwn: '0x1',
          wwnVendorExtension: '0x2',
          wwnWithExtension: '0x12',
          hctl: '0:0:0:0',
        },
        { name: '/dev/nvme0n1', alternateNames: ['/dev/nvme0n1'], type: 'NVME', sizeBytes: 1 },
        { name: '/dev/sdb', alternateNames: ['/dev/sdb'], type: 'SSD' },
      ],
      cpu: { arch: 'x86_64', model: 'Lab CPU', clockMegahertz: 2400, flags: ['aes', 'vmx'], count: 16 },
      hostname: 'agent-1',
    });
  });

  test('have no VLAN, whatever the switch reports', () => {
    const vlans = { switch_port_vlans: [{ id: 101, name: 'storage' }], switch_port_untagged_vlan_id: 101 };
    const eth0 = { ...plugins.parsed_lldp.eth0, ...vlans };
    expect(detailsFromInventory(inventory, { ...plugins, parsed_lldp: { eth0 } })).toEqual(
      detailsFromInventory(inventory, plugins),
    );
  });

  test('of an agent that found nothing claim nothing', () => {
    const nothing = { systemVendor: {}, firmware: { bios: {} }, nics: [], storage: [], cpu: {} };
    expect(detailsFromInventory({ cpu: { frequency: 'fast', flags: [] }, memory: null }, {})).toEqual(nothing);
    expect(detailsFromInventory({}, { all_interfaces: null, parsed_lldp: null })).toEqual(nothing);
    expect(detailsFromInventory({ interfaces: [{}], disks: [{}] }, {})).toEqual({
      ...nothing,
      nics: [{}],
      storage: [{ type: 'SSD' }],
    });
  });
});
