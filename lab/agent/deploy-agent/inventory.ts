import type { LabInventory } from '../../machines/inventory.ts';
import type { LabMachine } from '../../machines/machine.ts';

const MIB = 1024 ** 2;

const interfaces = ({ nics }: LabInventory): readonly object[] =>
  nics.map((nic, index) => ({
    name: nic.name,
    mac_address: nic.mac,
    ipv4_address: nic.ip ?? null,
    ipv6_address: null,
    has_carrier: nic.hasCarrier,
    speed_mbps: nic.speedMbps,
    lldp: null,
    vendor: '0x1af4',
    product: '0x0001',
    client_id: null,
    biosdevname: null,
    pci_address: `0000:00:0${index + 3}.0`,
  }));

const disks = (inventory: LabInventory): readonly object[] =>
  inventory.disks.map(({ bytes, ...disk }) => ({
    ...disk,
    size: bytes,
    wwn_with_extension: disk.wwn,
    wwn_vendor_extension: null,
    by_path: `/dev/disk/by-path/pci-0000:00:07.0-scsi-${disk.hctl}`,
    logical_sectors: 512,
    physical_sectors: 4096,
  }));

/** The inventory of a machine as a deploy agent reports it after inspection. */
export const inspectionReport = (machine: LabMachine, error: string | null): Readonly<Record<string, unknown>> => {
  const { inventory } = machine;
  const [boot] = inventory.nics;
  const { cpu, system, firmware } = inventory;
  return {
    inventory: {
      interfaces: interfaces(inventory),
      cpu: {
        model_name: cpu.model,
        frequency: cpu.mhz.toFixed(4),
        count: cpu.count,
        architecture: cpu.architecture,
        flags: cpu.flags,
        socket_count: 1,
      },
      disks: disks(inventory),
      memory: { total: inventory.ramMiB * MIB, physical_mb: inventory.ramMiB },
      bmc_address: null,
      bmc_v6address: null,
      hostname: machine.name,
      system_vendor: {
        product_name: system.product,
        serial_number: system.serial,
        manufacturer: system.manufacturer,
        firmware: { vendor: firmware.vendor, version: firmware.version, build_date: firmware.date },
      },
      boot: { current_boot_mode: 'uefi', pxe_interface: boot?.mac },
    },
    error,
    boot_interface: boot?.mac,
    root_disk: disks(inventory)[0],
    configuration: {},
  };
};
