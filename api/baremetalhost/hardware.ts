import { z } from 'zod';
import { integer, macAddress } from '../meta/scalars.ts';

const vlanId = (): z.ZodNumber => integer({ format: 'int32', minimum: 0, maximum: 4094 });

const cpu = z.object({
  arch: z.string().describe('Architecture, for example x86_64 or aarch64.').optional(),
  model: z.string().describe('Model name of the processor.').optional(),
  clockMegahertz: z.number().meta({ format: 'double' }).describe('Clock speed in megahertz.').optional(),
  flags: z.array(z.string()).describe('Feature flags of the processor.').optional(),
  count: integer().describe('Number of logical processors.').optional(),
});

const vlan = z
  .object({
    id: vlanId().describe('Number of the VLAN.').optional(),
    name: z.string().describe('Name of the VLAN.').optional(),
  })
  .describe('A VLAN of a switch port.');

const lldp = z.object({
  switchID: z.string().describe('Chassis identifier of the switch.').optional(),
  portID: z.string().describe('Identifier of the port on the switch.').optional(),
  switchSystemName: z.string().describe('System name of the switch.').optional(),
});

const nic = z
  .object({
    name: z.string().describe('Name of the interface, for example eno1.').optional(),
    model: z.string().describe('Vendor and product number, for example 0x8086 0x1572.').optional(),
    mac: macAddress().describe('Hardware address of the interface.').optional(),
    ip: z.string().describe('IPv4 or IPv6 address. An interface with both is listed twice.').optional(),
    speedGbps: integer().describe('Speed of the link in gigabits per second.').optional(),
    vlans: z.array(vlan).describe('VLANs that reach the interface.').optional(),
    vlanId: vlanId().describe('VLAN of frames without a tag.').optional(),
    pxe: z.boolean().describe('Whether the host can boot from this interface over the network.').optional(),
    lldp: lldp.describe('What the switch reports about itself by LLDP.').optional(),
    pciAddress: z.string().describe('Place of the interface on the PCI bus.').optional(),
  })
  .describe('A network interface.');

const disk = z
  .object({
    name: z
      .string()
      .describe('Device name. A persistent one, such as a link under /dev/disk/by-path, where the disk has one.')
      .optional(),
    alternateNames: z
      .array(z.string())
      .describe(
        'Other names of the device, for example /dev/sda. The list may be incomplete, and names may change at a reboot.',
      )
      .optional(),
    rotational: z.boolean().describe('Whether the disk rotates. The field type is more precise.').optional(),
    type: z.enum(['HDD', 'SSD', 'NVME']).describe('Spinning disk, solid-state disk or NVMe.').optional(),
    sizeBytes: integer({ format: 'int64' }).describe('Size in bytes.').optional(),
    vendor: z.string().describe('Vendor of the disk.').optional(),
    model: z.string().describe('Model of the disk.').optional(),
    serialNumber: z.string().describe('Serial number of the disk.').optional(),
    wwn: z.string().describe('World wide name of the disk.').optional(),
    wwnVendorExtension: z.string().describe("The vendor's extension of the world wide name.").optional(),
    wwnWithExtension: z.string().describe("World wide name followed by the vendor's extension.").optional(),
    hctl: z.string().describe('SCSI address host:channel:target:lun.').optional(),
  })
  .describe('A disk of any type.');

const systemVendor = z.object({
  manufacturer: z.string().describe('Manufacturer of the server.').optional(),
  productName: z.string().describe('Product name of the server.').optional(),
  serialNumber: z.string().describe('Serial number of the server.').optional(),
});

const bios = z.object({
  date: z.string().describe('Date of the BIOS.').optional(),
  vendor: z.string().describe('Vendor of the BIOS.').optional(),
  version: z.string().describe('Version of the BIOS.').optional(),
});

export const hardwareDetails = z.object({
  systemVendor: systemVendor.describe('Manufacturer, product and serial number of the server.').optional(),
  firmware: z
    .object({ bios: bios.describe('The BIOS or UEFI firmware.').optional() })
    .describe('Firmware of the server.')
    .optional(),
  ramMebibytes: integer().describe('Memory in MiB.').optional(),
  nics: z.array(nic).describe('Network interfaces.').optional(),
  storage: z.array(disk).describe('Disks.').optional(),
  cpu: cpu.describe('Processors.').optional(),
  hostname: z.string().describe('Host name that the server had during inspection.').optional(),
});
