import type { HardwareDetails } from '../../api/baremetalhost/types.ts';
import { BOUNDS } from '../bounds/bounds.ts';
import { detailsFromInventory } from '../hardware/details.ts';
import type { Inventory, PluginData } from '../hardware/inventory.ts';

/**
 * A machine that Ironic has enrolled by itself, as its deploy agent described it. Nobody has authenticated the agent:
 * every value may be made up.
 */
export interface DiscoveredMachine {
  /** UUID of the node that Ironic has enrolled for it. */
  readonly nodeId: string;
  /** When the agent called Ironic (ms since the epoch). */
  readonly calledAt: number;
  /** The MAC address that it booted from, else the first one. */
  readonly bootMac: string;
  /** All MAC addresses, in lower case. */
  readonly macs: readonly string[];
  readonly bmcAddresses: readonly string[];
  readonly bootsLegacy: boolean;
  readonly hardware: HardwareDetails;
  /** Other nodes in Ironic that have ports with these MAC addresses. */
  readonly portOwners: readonly string[];
}

const MAC = /^([0-9a-f]{2}:){5}[0-9a-f]{2}$/;

/** A valid address of a single interface, in lower case; undefined for anything else. */
export function macOf(text: string | null | undefined): string | undefined {
  const mac = text?.toLowerCase() ?? '';
  const isMulticast = (Number.parseInt(mac.slice(0, 2), 16) & 1) === 1;
  return MAC.test(mac) && mac !== '00:00:00:00:00:00' && !isMulticast ? mac : undefined;
}

/** The machine in an inventory of Ironic; or why no host can be made of it. */
export function machineOf(
  { nodeId, calledAt }: Pick<DiscoveredMachine, 'nodeId' | 'calledAt'>,
  inventory: Inventory,
  plugins: PluginData,
): DiscoveredMachine | { readonly problem: string } {
  const macs = [...new Set((inventory.interfaces ?? []).flatMap(({ mac_address: mac }) => macOf(mac) ?? []))];
  const [first] = macs;
  if (first === undefined) return { problem: 'its inventory has no valid MAC address' };
  const hardware = detailsFromInventory(inventory, plugins);
  if (JSON.stringify(hardware).length > BOUNDS.discovered.characters) return { problem: 'its inventory is too large' };
  const booted = macOf(bareMac(inventory.boot?.pxe_interface));
  const bmcs = [inventory.bmc_address, inventory.bmc_v6address].flatMap((address) => bmcAddress(address) ?? []);
  return {
    nodeId,
    calledAt,
    bootMac: booted !== undefined && macs.includes(booted) ? booted : first,
    macs,
    bmcAddresses: [...new Set(bmcs)],
    bootsLegacy: inventory.boot?.current_boot_mode === 'bios',
    hardware,
    portOwners: [],
  };
}

/** Some boot loaders write the type of the hardware before the address: `01-52-54-00-00-00-01`. */
const bareMac = (text: string | null | undefined): string | undefined =>
  text?.replace(/^[0-9a-f]{2}-(?=([0-9a-f]{2}-){5})/i, '').replaceAll('-', ':');

/** Agents write these when there is no BMC, or no network on it. */
const NO_BMC: readonly string[] = ['', '0.0.0.0', '::', '::/0'];

function bmcAddress(text: string | null | undefined): string | undefined {
  const address = text?.toLowerCase().replace(/\/\d+$/, '') ?? '';
  return NO_BMC.includes(address) ? undefined : address;
}
