import type { Disk, HardwareDetails, Nic } from '../../api/baremetalhost/types.ts';
import type {
  Inventory,
  InventoryCpu,
  InventoryDisk,
  InventoryInterface,
  ParsedLldp,
  PluginData,
  SystemVendor,
} from './inventory.ts';

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

/** A disk is named by a name that survives a reboot, if the agent reported one. */
function disk(seen: InventoryDisk): Disk {
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

/** One entry for each address of the interface, or one without an address. */
function nics(seen: InventoryInterface, plugins: PluginData): readonly Nic[] {
  const name = seen.name ?? '';
  const pxe = plugins.all_interfaces?.[name]?.pxe_enabled ?? undefined;
  const model = `${seen.vendor ?? ''} ${seen.product ?? ''}`.trimStart();
  const speedGbps = Math.trunc((seen.speed_mbps ?? 0) / 1000);
  const lldp = lldpOf(plugins.parsed_lldp?.[name] ?? {});
  const common: Nic = {
    ...textProperty('name', name),
    ...textProperty('model', model),
    ...textProperty('mac', seen.mac_address),
    ...(speedGbps > 0 && { speedGbps }),
    ...(pxe && { pxe }),
    ...(lldp && { lldp }),
    ...textProperty('pciAddress', seen.pci_address),
  };
  const addresses = [seen.ipv4_address, seen.ipv6_address].filter((ip): ip is string => Boolean(ip));
  return addresses.length === 0 ? [common] : addresses.map((ip) => ({ ...common, ip }));
}

function lldpOf(seen: ParsedLldp): Nic['lldp'] | undefined {
  const lldp = {
    ...textProperty('switchID', seen.switch_chassis_id),
    ...textProperty('portID', seen.switch_port_id),
    ...textProperty('switchSystemName', seen.switch_system_name),
  };
  return Object.keys(lldp).length === 0 ? undefined : lldp;
}

/** A property that is present only when its text is not empty. */
const textProperty = <Key extends string>(
  key: Key,
  value: string | null | undefined,
): { readonly [K in Key]?: string } => (value ? { [key]: value } : {}) as { readonly [K in Key]?: string };
