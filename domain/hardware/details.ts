import type { HardwareDetails } from '../../api/baremetalhost/types.ts';
import { disk } from './disk.ts';
import type { Inventory, InventoryCpu, PluginData, SystemVendor } from './inventory.ts';
import { nics } from './nic.ts';
import { text } from './text.ts';

/** Converts Ironic's inventory to the hardware of HardwareData. */
export function detailsFromInventory(inventory: Inventory, plugins: PluginData): HardwareDetails {
  const ram = inventory.memory?.physical_mb ?? 0;
  return {
    ...systemVendor(inventory.system_vendor ?? {}),
    ...(ram > 0 && { ramMebibytes: Math.trunc(ram) }),
    nics: (inventory.interfaces ?? []).flatMap((seen) => nics(seen, plugins)),
    storage: (inventory.disks ?? []).map(disk),
    cpu: cpu(inventory.cpu ?? {}),
    ...text('hostname', inventory.hostname),
  };
}

function systemVendor(vendor: SystemVendor): Pick<HardwareDetails, 'systemVendor' | 'firmware'> {
  const firmware = vendor.firmware ?? {};
  return {
    systemVendor: {
      ...text('manufacturer', vendor.manufacturer),
      ...text('productName', vendor.product_name),
      ...text('serialNumber', vendor.serial_number),
    },
    firmware: {
      bios: {
        ...text('date', firmware.build_date),
        ...text('vendor', firmware.vendor),
        ...text('version', firmware.version),
      },
    },
  };
}

function cpu({ architecture, model_name, frequency, count, flags }: InventoryCpu): NonNullable<HardwareDetails['cpu']> {
  const clock = Math.round(Number(frequency ?? Number.NaN));
  return {
    ...text('arch', architecture),
    ...text('model', model_name),
    ...(Number.isFinite(clock) && clock > 0 && { clockMegahertz: clock }),
    ...(flags && flags.length > 0 && { flags: flags.toSorted() }),
    ...(count && { count }),
  };
}
