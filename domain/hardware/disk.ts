import type { Disk } from '../../api/baremetalhost/types.ts';
import type { InventoryDisk } from './inventory.ts';
import { text } from './text.ts';

/** A disk is named by a name that survives a reboot, if the agent reported one. */
export function disk(seen: InventoryDisk): Disk {
  const alternateNames = [seen.name, seen.by_path].filter((name): name is string => Boolean(name));
  return {
    ...text('name', seen.by_path || seen.name),
    ...(alternateNames.length > 0 && { alternateNames }),
    ...(seen.rotational != null && { rotational: seen.rotational }),
    type: diskType(seen),
    ...(seen.size && { sizeBytes: Math.trunc(seen.size) }),
    ...text('vendor', seen.vendor),
    ...text('model', seen.model),
    ...text('serialNumber', seen.serial),
    ...text('wwn', seen.wwn),
    ...text('wwnVendorExtension', seen.wwn_vendor_extension),
    ...text('wwnWithExtension', seen.wwn_with_extension),
    ...text('hctl', seen.hctl),
  };
}

function diskType({ rotational, name }: InventoryDisk): 'HDD' | 'SSD' | 'NVME' {
  if (rotational) return 'HDD';
  return name?.startsWith('/dev/nvme') ? 'NVME' : 'SSD';
}
