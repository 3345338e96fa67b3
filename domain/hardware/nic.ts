import type { Nic } from '../../api/baremetalhost/types.ts';
import type { InventoryInterface, ParsedLldp, PluginData } from './inventory.ts';
import { textProperty } from './text.ts';

/** One entry for each address of the interface, or one without an address. */
export function nics(seen: InventoryInterface, plugins: PluginData): readonly Nic[] {
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
