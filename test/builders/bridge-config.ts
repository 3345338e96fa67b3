import type { BridgeDeps } from '../../k8s-bridge/bridge.ts';

const NO_URL = { byArchitecture: {} };
export const NO_URLS: BridgeDeps['agentUrls'] = { iso: NO_URL, kernel: NO_URL, ramdisk: NO_URL };

/** The default settings of a bridge, for one namespace. */
export const bridgeConfig = (given: { readonly namespace: string }): BridgeDeps['config'] => ({
  WATCH_NAMESPACE: given.namespace,
  TEMPER_HISTORY_LIMIT: undefined,
  TEMPORAL_COMMAND: undefined,
  CONTROLLERS: ['hosts', 'machines', 'addresses'],
  CONTROLLER_CONCURRENCY: 0,
  BMO_CONCURRENCY: 0,
  MAX_PROVISIONING_RETRIES: 5,
  PROVISIONER: 'ironic',
  PROVISIONING_LIMIT: 20,
  BUILD_PREPROV_IMAGE: false,
  PROVIDER_ID_FORMAT: 'names',
  WATCH_FILTER: '',
  LABEL_SWEEP_INTERVAL: 60_000,
  CAPM3_FAST_TRACK: false,
  MACHINE_API: 'off',
  NO_PROXY: '',
  WORKLOAD_CLUSTER_PROXIES: [],
});
