import type { Disk } from '../../api/baremetalhost/types.ts';
import type { InventoryDisk } from './inventory.ts';
import { textProperty } from './text.ts';

/** A disk is named by a name that survives a reboot, if the agent reported one. */
export function disk(seen: InventoryDisk): Disk {
  const alternateNames = [seen.name, seen.by_path].filter((name): name is string => Boolean(name));
  return {
    ...textProperty('name', seen.by_path || seen.name),
    ...(alternateNames.length > 0 && { alternateNames }),
    ...(seen.rotational && { rotational: true }),
    type: diskType(seen),
    ...(seen.size && { sizeBytes: Math.trunc(seen.size) }),
    ...textProperty('vendor', seen.vendor),
    ...textProperty('model', seen.model),
    ...textProperty('serialNumber', seen.serial),
    ...textProperty('wwn', seen.wwn),
    ...textProperty('wwnVendorExtension', seen.wwn_vendor_extension),
    ...textProperty('wwnWithExtension', seen.wwn_with_extension),
    ...textProperty('hctl', seen.hctl),
  };
}

function diskType({ rotational, name }: InventoryDisk): 'HDD' | 'SSD' | 'NVME' {
  if (rotational) return 'HDD';
  return name?.startsWith('/dev/nvme') ? 'NVME' : 'SSD';
}
