import type { HostSettings } from '../../../domain/host/memory/settings.ts';
import type { BridgeConfig } from '../../../platform/config/config.ts';

type Configured = Pick<
  BridgeConfig,
  'PROVISIONER' | 'MAX_PROVISIONING_RETRIES' | 'PROVISIONING_LIMIT' | 'BUILD_PREPROV_IMAGE'
>;

/** The operator's settings for snapshots. */
export const settingsOf = (config: Configured): HostSettings => ({
  maxProvisioningRetries: config.MAX_PROVISIONING_RETRIES,
  // The fixture has no limit.
  ...(config.PROVISIONER !== 'fixture' && { provisioningLimit: config.PROVISIONING_LIMIT }),
  buildsPreprovisioningImages: config.BUILD_PREPROV_IMAGE,
});
