/** What the operator has configured and the decisions depend on; rides in every snapshot, so that a change reaches every host. */
export interface HostSettings {
  /** Failed deployments of one image after which it is not tried again; 0: no limit. */
  readonly maxProvisioningRetries: number;
  /** Hosts that Ironic may have in hand at the same time. */
  readonly provisioningLimit: number;
  /** The deploy agent's images come from PreprovisioningImages. */
  readonly buildsPreprovisioningImages: boolean;
}

/** As configured where nobody has configured anything. */
export const DEFAULT_HOST_SETTINGS: HostSettings = {
  maxProvisioningRetries: 5,
  provisioningLimit: 20,
  buildsPreprovisioningImages: false,
};
