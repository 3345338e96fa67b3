import { z } from 'zod';
import { DEFAULT_HOST_SETTINGS } from '../domain/host/settings.ts';

/** Every setting of bridge and workers: name, meaning, default. Read once at the start and passed down. */

const flag = (description: string) =>
  z
    .string()
    .default('false')
    .transform((text) => text.toLowerCase() === 'true')
    .describe(description);

const address = (description: string) =>
  z
    .string()
    .regex(/^.*:\d{1,5}$/, 'must be host:port')
    .transform((text) => {
      const colon = text.lastIndexOf(':');
      return { hostname: text.slice(0, colon) || '0.0.0.0', port: Number(text.slice(colon + 1)) };
    })
    .describe(description);

const millis = (fallback: number, description: string) =>
  z.coerce.number().int().positive().default(fallback).describe(description);

const common = {
  TEMPORAL_ADDRESS: z.string().default('127.0.0.1:7233').describe('host:port of the Temporal frontend'),
  TEMPORAL_NAMESPACE: z.string().default('default').describe('Temporal namespace'),
  KUBECONFIG: z.string().optional().describe('kubeconfig file; without it the pod’s own service account'),
  HEALTH_ADDR: address('host:port of /healthz and /readyz').default({ hostname: '0.0.0.0', port: 9440 }),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
    .default('info')
    .describe('lowest level logged'),
};

const agentUrl = (name: 'ISO' | 'KERNEL' | 'RAMDISK') =>
  z
    .string()
    .optional()
    .describe(
      `${name === 'ISO' ? name : name.toLowerCase()} of the deploy agent; for PreprovisioningImages of one architecture ` +
        `\`DEPLOY_${name}_URL_<ARCHITECTURE>\` comes first`,
    );
const agentUrls = {
  DEPLOY_ISO_URL: agentUrl('ISO'),
  DEPLOY_KERNEL_URL: agentUrl('KERNEL'),
  DEPLOY_RAMDISK_URL: agentUrl('RAMDISK'),
};
const byArchitecture = (what: string) =>
  z
    .string()
    .optional()
    .describe(`${what} of the deploy agent for PreprovisioningImages, as \`architecture:URL,architecture:URL\``);

export const workersConfig = z.object({
  ...common,
  IRONIC_ENDPOINT: z.url().describe('Ironic’s API, for example https://ironic:6385/v1/'),
  IRONIC_CACERT_FILE: z
    .string()
    .default('/opt/metal3/certs/ca/tls.crt')
    .describe('CA of Ironic’s certificate, if the file exists'),
  IRONIC_CLIENT_CERT_FILE: z
    .string()
    .default('/opt/metal3/certs/client/tls.crt')
    .describe('client certificate, if the file exists'),
  IRONIC_CLIENT_PRIVATE_KEY_FILE: z.string().default('/opt/metal3/certs/client/tls.key').describe('its key'),
  IRONIC_INSECURE: flag('do not verify Ironic’s certificate'),
  IRONIC_POLL_INTERVAL: millis(
    1_000,
    'milliseconds between two list requests while hosts are busy; half of it while there are few',
  ),
  METAL3_AUTH_ROOT_DIR: z
    .string()
    .default('/opt/metal3/auth')
    .describe('folder with ironic/username and ironic/password; absent: no authentication'),
  ...agentUrls,
  PROVISIONING_NETWORK_DISABLED: flag('refuse BMC types that need a provisioning network'),
  LIVE_ISO_FORCE_PERSISTENT_BOOT_DEVICE: z
    .enum(['Default', 'Always', 'Never'])
    .default('Default')
    .describe('for live ISOs'),
  DIRECT_DEPLOY_FORCE_PERSISTENT_BOOT_DEVICE: z
    .enum(['Default', 'Always', 'Never'])
    .default('Default')
    .describe('for images on disk'),
  TEMPER_LAB: flag('accept the lab’s BMC scheme fake-hardware://'),
});
export type WorkersConfig = z.infer<typeof workersConfig>;

export const bridgeConfig = z.object({
  ...common,
  WATCH_NAMESPACE: z.string().default('').describe('namespaces watched, comma-separated; empty: all'),
  POD_NAMESPACE: z.string().default('default').describe('namespace of the Lease'),
  POD_NAME: z.string().optional().describe('identity under the Lease; default: host name and process id'),
  ENABLE_LEADER_ELECTION: flag('several bridges, one at work, under a Lease'),
  LEASE_DURATION_SECONDS: z.coerce
    .number()
    .positive()
    .default(15)
    .describe('a silent leader is replaced after this long'),
  RENEW_DEADLINE_SECONDS: z.coerce
    .number()
    .positive()
    .default(10)
    .describe('a leader that can’t renew stops after this long'),
  RETRY_PERIOD_SECONDS: z.coerce.number().positive().default(2).describe('seconds between two attempts at the Lease'),
  MAX_PROVISIONING_RETRIES: z.coerce
    .number()
    .int()
    .nonnegative()
    .default(DEFAULT_HOST_SETTINGS.maxProvisioningRetries)
    .describe('failed deployments of one image after which it is not tried again; 0: no limit'),
  PROVISIONING_LIMIT: z.coerce
    .number()
    .int()
    .positive()
    .default(DEFAULT_HOST_SETTINGS.provisioningLimit)
    .describe('hosts that Ironic may have in hand at the same time'),
  BUILD_PREPROV_IMAGE: flag('the deploy agent’s images come from PreprovisioningImages'),
  ...agentUrls,
  DEPLOY_ISO_BY_ARCH: byArchitecture('ISOs'),
  DEPLOY_KERNEL_BY_ARCH: byArchitecture('kernels'),
  DEPLOY_RAMDISK_BY_ARCH: byArchitecture('ramdisks'),
  TEMPER_HISTORY_LIMIT: z.coerce
    .number()
    .int()
    .min(50)
    .optional()
    .describe('events after which a host’s run is continued as new'),
});
export type BridgeConfig = z.infer<typeof bridgeConfig>;

/** Parses the environment; a bad value names its variable and is a reason not to start. */
export function readConfig<Schema extends z.ZodType>(schema: Schema, env: NodeJS.ProcessEnv): z.infer<Schema> {
  const parsed = schema.safeParse(Object.fromEntries(Object.entries(env).filter(([, value]) => value !== '')));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
  throw new Error(`configuration in the environment:\n  ${problems.join('\n  ')}`);
}
