/**
 * The operator's settings that decisions depend on. They are part of every snapshot, so that a change reaches every
 * host.
 */
export interface HostSettings {
  /** Failed deployments of one image before it is given up; 0 for no limit. */
  readonly maxProvisioningRetries: number;
  /** Number of hosts that Ironic works on at the same time; absent: any number, so no host requests a slot. */
  readonly provisioningLimit?: number;
  /** The deploy agent's images come from PreprovisioningImages. */
  readonly buildsPreprovisioningImages: boolean;
}

/** The default settings. */
export const DEFAULT_HOST_SETTINGS = {
  maxProvisioningRetries: 5,
  provisioningLimit: 20,
  buildsPreprovisioningImages: false,
} satisfies HostSettings;
