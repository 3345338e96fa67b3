import type { HardwareDetails } from '../../api/baremetalhost/types.ts';
import { disk } from './disk.ts';
import type { Inventory, InventoryCpu, PluginData, SystemVendor } from './inventory.ts';
import { nics } from './nic.ts';
import { textProperty } from './text.ts';

/** Converts Ironic's inventory to the hardware of HardwareData. */
export function detailsFromInventory(inventory: Inventory, plugins: PluginData): HardwareDetails {
  const ram = inventory.memory?.physical_mb ?? 0;
  return {
    ...systemVendor(inventory.system_vendor ?? {}),
    ...(ram > 0 && { ramMebibytes: Math.trunc(ram) }),
    nics: (inventory.interfaces ?? []).flatMap((seen) => nics(seen, plugins)),
    storage: (inventory.disks ?? []).map(disk),
    cpu: cpu(inventory.cpu ?? {}),
    ...textProperty('hostname', inventory.hostname),
  };
}

function systemVendor(vendor: SystemVendor): Pick<HardwareDetails, 'systemVendor' | 'firmware'> {
  const firmware = vendor.firmware ?? {};
  return {
    systemVendor: {
      ...textProperty('manufacturer', vendor.manufacturer),
      ...textProperty('productName', vendor.product_name),
      ...textProperty('serialNumber', vendor.serial_number),
    },
    firmware: {
      bios: {
        ...textProperty('date', firmware.build_date),
        ...textProperty('vendor', firmware.vendor),
        ...textProperty('version', firmware.version),
      },
    },
  };
}

function cpu({ architecture, model_name, frequency, count, flags }: InventoryCpu): NonNullable<HardwareDetails['cpu']> {
  const clock = Math.round(Number(frequency ?? Number.NaN));
  return {
    ...textProperty('arch', architecture),
    ...textProperty('model', model_name),
    ...(Number.isFinite(clock) && clock > 0 && { clockMegahertz: clock }),
    ...(flags && flags.length > 0 && { flags: flags.toSorted() }),
    ...(count && { count }),
  };
}
