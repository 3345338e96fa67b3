import type { Kube } from '../../../kube/client.ts';
import { homeNamespace, type WorkersConfig } from '../../../platform/config/config.ts';
import type { ProxyConfig } from '../../../platform/config/proxy-settings.ts';
import { type IronicClient, ironicClientOf, type Observers } from './client.ts';
import { type ConnectionDetails, detailsOf, type IronicConnection } from './connection.ts';
import { fixedSource, followedSource } from './connection-source.ts';
import { findIronic } from './ironic-object.ts';

/** The settings that workers and bridge share. */
type IronicConfig = Pick<
  WorkersConfig,
  | 'IRONIC_ENDPOINT'
  | 'IRONIC_NAME'
  | 'IRONIC_NAMESPACE'
  | 'POD_NAMESPACE'
  | 'WATCH_NAMESPACE'
  | 'METAL3_AUTH_ROOT_DIR'
  | 'IRONIC_CACERT_FILE'
  | 'IRONIC_CLIENT_CERT_FILE'
  | 'IRONIC_CLIENT_PRIVATE_KEY_FILE'
  | 'IRONIC_INSECURE'
  | 'IRONIC_CLIENT_TIMEOUT'
  | 'IRONIC_CLIENT_CACHE_TTL'
  | 'IRONIC_CONCURRENT_CHANGES'
> &
  ProxyConfig;

/** The connection given by the settings alone. */
export const configuredConnection = (config: IronicConfig): Omit<IronicConnection, 'endpoint'> => ({
  authRootDir: config.METAL3_AUTH_ROOT_DIR,
  caFile: config.IRONIC_CACERT_FILE,
  clientCertificateFile: config.IRONIC_CLIENT_CERT_FILE,
  clientKeyFile: config.IRONIC_CLIENT_PRIVATE_KEY_FILE,
  insecure: config.IRONIC_INSECURE,
  timeoutMs: config.IRONIC_CLIENT_TIMEOUT,
  concurrentChanges: config.IRONIC_CONCURRENT_CHANGES,
  proxies: config,
});

/** The configured Ironic: from an Ironic object if one is named, else by its address. undefined without either. */
export async function openConfiguredIronic(
  config: IronicConfig,
  kube: Kube,
  observers?: Observers,
): Promise<IronicClient | undefined> {
  const configured = configuredConnection(config);
  const { IRONIC_NAME: name, IRONIC_NAMESPACE: namespace = homeNamespace(config), IRONIC_ENDPOINT: endpoint } = config;
  if (name !== undefined) {
    const { authRootDir: _, caFile: __, ...common } = configured;
    const find = async (): Promise<ConnectionDetails> =>
      detailsOf({ ...common, ...(await findIronic(kube, { namespace, name })) });
    return ironicClientOf(followedSource(find, config.IRONIC_CLIENT_CACHE_TTL), configured, observers);
  }
  if (endpoint === undefined) return undefined;
  return ironicClientOf(await fixedSource({ ...configured, endpoint }), configured, observers);
}
