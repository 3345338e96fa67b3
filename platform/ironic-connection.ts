import type { IronicConnection } from '../activities/ironic/connection.ts';
import type { WorkersConfig } from './config.ts';

/** How Ironic is reached, by the settings that workers and bridge have in common. */
export const ironicConnection = (
  config: Pick<
    WorkersConfig,
    | 'METAL3_AUTH_ROOT_DIR'
    | 'IRONIC_CACERT_FILE'
    | 'IRONIC_CLIENT_CERT_FILE'
    | 'IRONIC_CLIENT_PRIVATE_KEY_FILE'
    | 'IRONIC_INSECURE'
    | 'IRONIC_CLIENT_TIMEOUT'
  >,
  endpoint: string,
): IronicConnection => ({
  endpoint,
  authRootDir: config.METAL3_AUTH_ROOT_DIR,
  caFile: config.IRONIC_CACERT_FILE,
  clientCertificateFile: config.IRONIC_CLIENT_CERT_FILE,
  clientKeyFile: config.IRONIC_CLIENT_PRIVATE_KEY_FILE,
  insecure: config.IRONIC_INSECURE,
  timeoutMs: config.IRONIC_CLIENT_TIMEOUT,
});
