/** What an operator decides about driving nodes; parsed from the environment elsewhere. */
export interface IronicSettings {
  /** Images of the deploy agent; what is not given is left to Ironic's own configuration. */
  readonly deployImages: { readonly iso?: string; readonly kernel?: string; readonly ramdisk?: string };
  /** Refuses BMC types that need a provisioning network. */
  readonly provisioningNetworkDisabled: boolean;
  /** `driver_info.force_persistent_boot_device` for images written to disk and for live ISOs. */
  readonly forcePersistentBootDevice: { readonly disk: PersistentBoot; readonly liveIso: PersistentBoot };
  /** Where BMCs that are reached by IPv6 find what Ironic serves to them; the address of Ironic itself without it. */
  readonly externalUrlV6?: string;
  /** The lab's address scheme `fake-hardware://<name>`, a node without a machine. */
  readonly allowFakeHardware: boolean;
  /** Architecture of a host that names none and has not been inspected. */
  readonly defaultArchitecture: string;
}

export type PersistentBoot = 'Default' | 'Always' | 'Never';

/** As upstream behaves without any configuration. */
export const DEFAULT_IRONIC_SETTINGS: IronicSettings = {
  deployImages: {},
  provisioningNetworkDisabled: false,
  forcePersistentBootDevice: { disk: 'Default', liveIso: 'Default' },
  allowFakeHardware: false,
  defaultArchitecture: process.arch === 'arm64' ? 'aarch64' : 'x86_64',
};
