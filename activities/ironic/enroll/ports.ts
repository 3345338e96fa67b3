import type { HardwareDetails } from '../../../api/baremetalhost/types.ts';
import type { Port } from '../client/client.ts';
import type { Tools } from '../tools.ts';
import type { NodeTurn } from '../turn.ts';

export interface WantedPort {
  /** In lower case. */
  readonly address: string;
  readonly pxe: boolean;
}

/** A MAC address that belongs to another node in Ironic. */
export interface PortConflict {
  readonly address: string;
  readonly nodeId: string;
}

/** One port for each MAC address; the boot MAC address always has PXE enabled. */
export function wantedPorts(bootMACAddress: string, hardware: HardwareDetails | undefined): readonly WantedPort[] {
  const ports = new Map<string, WantedPort>();
  for (const { mac, pxe } of hardware?.nics ?? []) {
    if (!mac) continue;
    const address = mac.toLowerCase();
    ports.set(address, { address, pxe: (pxe ?? false) || (ports.get(address)?.pxe ?? false) });
  }
  const boot = bootMACAddress.toLowerCase();
  if (boot) ports.set(boot, { address: boot, pxe: true });
  return [...ports.values()];
}

/**
 * Creates missing ports of a node; ports are never changed or deleted. Returns the first address that belongs to
 * another node.
 */
export async function addPorts(
  tools: Tools,
  turn: NodeTurn,
  nodeId: string,
  wanted: readonly WantedPort[],
  existing: readonly Port[],
): Promise<PortConflict | undefined> {
  const { client, call } = tools;
  for (const { address, pxe } of wanted) {
    if (existing.some((port) => port.address === address)) continue;
    if (await turn.send(nodeId, (change) => client.createPort({ nodeId, address, pxe }, change))) continue;
    const taken = await client.portsByAddress(address, { signal: call.signal });
    const owner = taken.map((port) => port.nodeId).find((id) => id !== undefined && id !== nodeId);
    if (owner !== undefined) return { address, nodeId: owner };
  }
  return undefined;
}
