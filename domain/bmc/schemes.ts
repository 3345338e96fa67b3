/** How Ironic drives a type of BMC, and what hosts with this BMC support and require. */
export interface BmcKind {
  readonly family: 'ipmi' | 'redfish' | 'fake';
  readonly driver: string;
  /** Interfaces sent when a node is created; Ironic chooses those that are left out. */
  readonly interfaces: NodeInterfaces;
  /** inspect_interface of out-of-band inspection; null when only the agent can inspect. */
  readonly fastInspection: string | null;
  readonly needsMac: boolean;
  readonly secureBoot: boolean;
  /** The deploy agent is booted as an ISO, over virtual media or HTTP. */
  readonly bootsIso: boolean;
  readonly needsProvisioningNetwork: boolean;
  /** redfish_system_id is sent even when the address has no path. */
  readonly alwaysSendsSystemId?: boolean;
}

export interface NodeInterfaces {
  readonly boot_interface: string;
  readonly bios_interface?: string;
  readonly deploy_interface?: string;
  readonly firmware_interface?: string;
  readonly inspect_interface?: string;
  readonly management_interface?: string;
  readonly power_interface?: string;
  readonly raid_interface: string;
  readonly vendor_interface?: string;
}

const ipmi: BmcKind = {
  family: 'ipmi',
  driver: 'ipmi',
  interfaces: { boot_interface: 'ipxe', raid_interface: 'no-raid' },
  fastInspection: null,
  needsMac: false,
  secureBoot: false,
  bootsIso: false,
  needsProvisioningNetwork: true,
};

const redfish: BmcKind = {
  family: 'redfish',
  driver: 'redfish',
  interfaces: { boot_interface: 'ipxe', raid_interface: 'redfish', firmware_interface: 'redfish' },
  fastInspection: 'redfish',
  needsMac: false,
  secureBoot: true,
  bootsIso: false,
  needsProvisioningNetwork: true,
};

const virtualMedia: BmcKind = {
  ...redfish,
  interfaces: { ...redfish.interfaces, boot_interface: 'redfish-virtual-media' },
  bootsIso: true,
  needsProvisioningNetwork: false,
};

const idrac: BmcKind = {
  ...redfish,
  driver: 'idrac',
  interfaces: {
    boot_interface: 'ipxe',
    bios_interface: 'idrac-redfish',
    management_interface: 'idrac-redfish',
    power_interface: 'idrac-redfish',
    raid_interface: 'idrac-redfish',
    vendor_interface: 'idrac-redfish',
    firmware_interface: 'redfish',
  },
};

/** By scheme of the address. Schemes like Redfish also exist with `+http` and `+https`. */
export const BMC_KINDS: Readonly<Record<string, BmcKind>> = {
  ipmi,
  libvirt: { ...ipmi, needsMac: true },
  redfish,
  'ilo5-redfish': redfish,
  'redfish-virtualmedia': virtualMedia,
  'ilo5-virtualmedia': virtualMedia,
  'redfish-uefihttp': {
    ...virtualMedia,
    interfaces: { ...redfish.interfaces, boot_interface: 'redfish-https' },
    alwaysSendsSystemId: true,
  },
  'idrac-redfish': idrac,
  'idrac-virtualmedia': {
    ...idrac,
    interfaces: { ...idrac.interfaces, boot_interface: 'idrac-redfish-virtual-media' },
    bootsIso: true,
    needsProvisioningNetwork: false,
  },
};

/** An Ironic node without a server, for the lab: `fake-hardware://<any name>`. */
export const FAKE_HARDWARE: BmcKind = {
  family: 'fake',
  driver: 'fake-hardware',
  interfaces: {
    boot_interface: 'fake',
    bios_interface: 'fake',
    deploy_interface: 'fake',
    firmware_interface: 'fake',
    inspect_interface: 'fake',
    management_interface: 'fake',
    power_interface: 'fake',
    raid_interface: 'fake',
    vendor_interface: 'fake',
  },
  fastInspection: 'fake',
  needsMac: false,
  secureBoot: true,
  // A host of this kind needs a slot, like a host that boots over the network, so that the limit can be tested.
  bootsIso: false,
  needsProvisioningNetwork: false,
};

export const FAKE_HARDWARE_SCHEME = 'fake-hardware';
