import type { HostSettings } from '../../../domain/host/memory/settings.ts';
import type { BridgeConfig } from '../../../platform/config/config.ts';

type Configured = Pick<
  BridgeConfig,
  | 'PROVISIONER'
  | 'MAX_PROVISIONING_RETRIES'
  | 'PROVISIONING_LIMIT'
  | 'FIXTURE_PROVISIONING_LIMIT'
  | 'BUILD_PREPROV_IMAGE'
>;

/** The operator's settings for snapshots. */
export function settingsOf(config: Configured): HostSettings {
  const { PROVISIONER, PROVISIONING_LIMIT, FIXTURE_PROVISIONING_LIMIT } = config;
  const provisioningLimit = PROVISIONER === 'fixture' ? FIXTURE_PROVISIONING_LIMIT : PROVISIONING_LIMIT;
  return {
    maxProvisioningRetries: config.MAX_PROVISIONING_RETRIES,
    ...(provisioningLimit !== undefined && { provisioningLimit }),
    buildsPreprovisioningImages: config.BUILD_PREPROV_IMAGE,
  };
}
