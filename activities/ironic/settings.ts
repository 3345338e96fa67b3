import type { Patience } from '../../domain/ironic/mark.ts';

/** The operator's settings for managing nodes; parsed from the environment elsewhere. */
export interface IronicSettings {
  /** Images of the deploy agent; for those that are absent, Ironic's own configuration is used. */
  readonly deployImages: { readonly iso?: string; readonly kernel?: string; readonly ramdisk?: string };
  /** Refuses BMC types that need a provisioning network. */
  readonly provisioningNetworkDisabled: boolean;
  /** `driver_info.force_persistent_boot_device` for images written to disk and for live ISOs. */
  readonly forcePersistentBootDevice: { readonly disk: PersistentBoot; readonly liveIso: PersistentBoot };
  /** Address of Ironic's files for BMCs with IPv6; by default Ironic's own address. */
  readonly externalUrlV6?: string;
  /** Allows the lab's address scheme `fake-hardware://<name>`, a node without a server. */
  readonly allowFakeHardware: boolean;
  /** Time (ms) after which Ironic has failed if it is still busy with one step. */
  readonly stepDeadlineMs: number;
  /** How long what became of a request without an answer is not known. */
  readonly patience: Patience;
  /** Architecture of a host without one in its spec and without inspection. */
  readonly defaultArchitecture: string;
}

export type PersistentBoot = 'Default' | 'Always' | 'Never';

/** The defaults, as upstream's. */
export const DEFAULT_IRONIC_SETTINGS: IronicSettings = {
  deployImages: {},
  provisioningNetworkDisabled: false,
  forcePersistentBootDevice: { disk: 'Default', liveIso: 'Default' },
  allowFakeHardware: false,
  stepDeadlineMs: 3 * 60 * 60_000,
  patience: { longestRequestMs: 2 * 60_000, lockDeadlineMs: 30 * 60_000 },
  defaultArchitecture: process.arch === 'arm64' ? 'aarch64' : 'x86_64',
};
