import { parseBmcAddress } from '../bmc/address.ts';
import { ageOf } from '../clock.ts';
import { traitsOf } from '../states/table.ts';
import { createMachineIndex, type MachineIndex } from './machine-index.ts';
import { areDifferent, bmcKey, type MachineIdentity } from './same-machine.ts';

/** What discovery reads of a BareMetalHost. */
export interface KnownHost {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The provisioning state. */
  readonly state: string;
  /** Discovery has created it. */
  readonly isDiscovered: boolean;
  readonly isDeleting: boolean;
  readonly hasBmcDetails: boolean;
  /** `spec.bmc.address`. */
  readonly bmcAddress: string;
  /** Address of the BMC that its machine reported when it was discovered; '' for other hosts. */
  readonly reportedBmcAddress: string;
  /** `spec.bootMACAddress`, in lower case; '' without one. */
  readonly bootMac: string;
  /** MAC addresses of its hardware, in lower case. */
  readonly macs: readonly string[];
  /** UUID of its node in Ironic; '' without one. */
  readonly nodeId: string;
  /** UUID of the node for which discovery has created it; '' for other hosts. */
  readonly discoveredNode: string;
  /** When it was created (ms since the epoch). */
  readonly createdAt: number;
  /** When its last registration or inspection began, else when it was created (ms since the epoch). */
  readonly begunAt: number;
}

export const keyOfHost = ({ namespace, name }: Pick<KnownHost, 'namespace' | 'name'>): string => `${namespace}/${name}`;

/** Finds a host with one of the machine's MAC addresses, or with its BMC. */
export function hostsByMachine(hosts: readonly KnownHost[]): (machine: MachineIdentity) => KnownHost | undefined {
  const index = indexOf(hosts);
  const withBmc = hosts.filter(({ bmcAddress }) => bmcAddress !== '');
  const byBmc = Map.groupBy(withBmc, (host) => bmcKey(bmcHostOf(host)));
  return (machine) =>
    firstOf(index.alike(machine)) ??
    firstOf(machine.bmcAddresses.flatMap((address) => byBmc.get(bmcKey(address)) ?? []));
}

function indexOf(hosts: Iterable<KnownHost>): MachineIndex<KnownHost> {
  const index = createMachineIndex<KnownHost>();
  for (const host of hosts) index.add(host, identityOf(host));
  return index;
}

/** A host with BMC details stands for the machine, rather than one that discovery has created. */
function firstOf(hosts: Iterable<KnownHost>): KnownHost | undefined {
  let first: KnownHost | undefined;
  for (const host of hosts) {
    if (host.hasBmcDetails) return host;
    first ??= host;
  }
  return first;
}

function bmcHostOf({ bmcAddress }: KnownHost): string {
  const parsed = parseBmcAddress(bmcAddress, { fakeHardware: true });
  return parsed.kind === 'ok' ? parsed.address.hostname : '';
}

/** True for a host that only shares MAC addresses with the machine. */
export const isOther = (host: KnownHost, machine: MachineIdentity): boolean => areDifferent(identityOf(host), machine);

const identityOf = (host: KnownHost): MachineIdentity => ({
  bootMac: host.bootMac,
  macs: host.macs,
  bmcAddresses: [bmcHostOf(host), host.reportedBmcAddress],
});

export const MINUTE_MS = 60_000;

/**
 * A host that any machine might be: its first inspection is not done, and no MAC address of it is known. Ironic enrolls
 * its machine once more when the agent calls during that inspection, and the ports of that node then block the next
 * one. `now`: ms since the epoch.
 */
export function hostOfAnyMachine(hosts: readonly KnownHost[], now: number): KnownHost | undefined {
  const open = unidentified(hosts).filter((host) => !isOverdue(host, now));
  return open.find(({ state }) => traitsOf(state).work === 'inspect') ?? open[0];
}

/** Hosts that any machine might be, and for which discovery does not wait any more. */
export const overdueHosts = (hosts: readonly KnownHost[], now: number): readonly KnownHost[] =>
  unidentified(hosts).filter((host) => isOverdue(host, now));

/**
 * A host that fails or waits for longer than its state allows, for example because its password is wrong, would
 * otherwise end discovery for all machines.
 */
const isOverdue = ({ state, begunAt }: KnownHost, now: number): boolean =>
  ageOf(begunAt, now) >= (traitsOf(state).mayBeAnyMachine ?? 0) * MINUTE_MS;

const unidentified = (hosts: readonly KnownHost[]): readonly KnownHost[] =>
  hosts.filter(
    ({ hasBmcDetails, bootMac, macs, state }) =>
      hasBmcDetails && bootMac === '' && macs.length === 0 && traitsOf(state).mayBeAnyMachine !== null,
  );

/**
 * Discovered hosts that give way: a user has created a host with BMC details for the same machine, and it has been
 * registered.
 */
export function superseded(hosts: readonly KnownHost[]): readonly KnownHost[] {
  const index = indexOf(hosts.filter(({ hasBmcDetails, nodeId }) => hasBmcDetails && nodeId !== ''));
  return hosts.filter(
    (host) =>
      host.isDiscovered &&
      !host.isDeleting &&
      !host.hasBmcDetails &&
      traitsOf(host.state).lacksBmc &&
      hasAny(index.alike(identityOf(host))),
  );
}

function hasAny([first]: Iterable<unknown>): boolean {
  return first !== undefined;
}
