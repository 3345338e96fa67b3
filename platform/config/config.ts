import { z } from 'zod';
import { DEFAULT_HOST_SETTINGS } from '../../domain/host/memory/settings.ts';
import { address, duration, flag, millis, namesFrom, optionalAddress } from './config-values.ts';
import { readFlags } from './flags.ts';
import { goBoolean } from './go-boolean.ts';
import { CIPHER_SUITES, CURVES, TLS_VERSIONS } from './tls-names.ts';

/** Every setting of bridge and workers: name, meaning, default. Read once at the start and passed down. */

export const PROVISIONERS = ['ironic', 'fixture'] as const;

const common = {
  TEMPORAL_ADDRESS: z.string().default('127.0.0.1:7233').describe('host:port of the Temporal frontend'),
  TEMPORAL_NAMESPACE: z.string().default('default').describe('Temporal namespace'),
  KUBECONFIG: z.string().optional().describe('kubeconfig file; without it the pod’s own service account'),
  WATCH_NAMESPACE: z.string().default('').describe('namespaces watched, comma-separated; empty: all'),
  POD_NAMESPACE: z
    .string()
    .optional()
    .describe(
      'namespace of the Lease and of the Ironic object; default: the namespace watched, if it is one, else `default`',
    ),
  POD_NAME: z.string().optional().describe('identity under the Lease; default: host name and process id'),
  HEALTH_ADDR: address('host:port of /healthz and /readyz').default({ hostname: '0.0.0.0', port: 9440 }),
  METRICS_ADDR: optionalAddress('host:port of /metrics; `0`: none').default({ hostname: '0.0.0.0', port: 8443 }),
  METRICS_INSECURE: flag(
    'serve /metrics by plain HTTP and to everybody; without it by HTTPS, to those who may get `/metrics`',
  ),
  METRICS_CERT_DIR: z
    .string()
    .default('/tmp/k8s-metrics-server/metrics-certs')
    .describe(
      'folder with tls.crt and tls.key for /metrics; absent: a certificate signed by itself, made at the start',
    ),
  TLS_MIN_VERSION: z.enum(TLS_VERSIONS).default('TLS12').describe('oldest version of TLS that is served'),
  TLS_MAX_VERSION: z.enum(TLS_VERSIONS).default('TLS13').describe('newest version of TLS that is served'),
  TLS_CIPHER_SUITES: namesFrom(
    CIPHER_SUITES,
    'cipher suites of TLS 1.2 by their names in Go, comma-separated; empty: those of Node. What TLS 1.3 has is not chosen from',
  ),
  TLS_CURVE_PREFERENCES: namesFrom(CURVES, 'key exchanges by their names in Go, comma-separated; empty: those of Node'),
  KUBE_API_QPS: z.coerce
    .number()
    .nonnegative()
    .default(0)
    .describe('requests a second to the API server, watches aside; 0: no limit'),
  KUBE_API_BURST: z.coerce
    .number()
    .int()
    .positive()
    .default(30)
    .describe('requests that may go at once under KUBE_API_QPS'),
  PROVISIONER: z
    .enum(PROVISIONERS)
    .default('ironic')
    .describe('who drives the machines; `fixture` has none and makes everything up'),
  PROVISIONER_PLUGIN_DIR: z.string().optional().describe('without effect: there are no plugins'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])
    .default('info')
    .describe('lowest level logged'),
  TEMPER_LAB: flag('accept the lab’s BMC scheme fake-hardware://'),
  DEV_LOGGING: flag('log from `debug` on, with times to be read by people'),
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
/** A ramdisk is booted by its kernel; a kernel alone is of use only to ramdisks that are built. */
type AgentParts = Readonly<Partial<Record<keyof typeof agentUrls | 'PROVISIONER', string | undefined>>>;
const hasKernel = ({ PROVISIONER, DEPLOY_KERNEL_URL: kernel, DEPLOY_RAMDISK_URL: ramdisk }: AgentParts): boolean =>
  PROVISIONER === 'fixture' || kernel !== undefined || ramdisk === undefined;
const NEEDS_KERNEL = {
  path: ['DEPLOY_RAMDISK_URL'],
  error: 'needs DEPLOY_KERNEL_URL beside it',
  // Also beside other problems: one attempt is to show them all.
  when: () => true,
};

const byArchitecture = (what: string) =>
  z
    .string()
    .optional()
    .describe(`${what} of the deploy agent for PreprovisioningImages, as \`architecture:URL,architecture:URL\``);

/** How Ironic is reached. */
const ironicAccess = {
  IRONIC_ENDPOINT: z
    .url()
    .optional()
    .describe(
      'Ironic’s API, for example https://ironic:6385/v1/; the workers require it unless IRONIC_NAME is set or PROVISIONER ' +
        'is `fixture`, a bridge without either does not notice what changes behind Temper’s back',
    ),
  IRONIC_NAME: z
    .string()
    .optional()
    .describe(
      'an Ironic of `ironic.metal3.io`, which then tells where Ironic is and how to be let in, in place of IRONIC_ENDPOINT, IRONIC_CACERT_FILE and METAL3_AUTH_ROOT_DIR',
    ),
  IRONIC_NAMESPACE: z.string().optional().describe('its namespace; default: as for the Lease'),
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
  IRONIC_SKIP_CLIENT_SAN_VERIFY: flag('without effect: it concerns certificates that a server is shown'),
  IRONIC_CLIENT_TIMEOUT: duration(
    '30s',
    (ms) => ms > 0,
    'more than 0',
    'a request to Ironic is given up after this long',
  ),
  IRONIC_CLIENT_CACHE_TTL: duration(
    '5s',
    (ms) => ms >= 0,
    '0 or more',
    'how long what the Ironic object says is believed; 0: it is read before each request. Without IRONIC_NAME there is nothing to forget: what Ironic says of its version holds until it objects',
  ),
  METAL3_AUTH_ROOT_DIR: z
    .string()
    .default('/opt/metal3/auth')
    .describe('folder with ironic/username and ironic/password; absent: no authentication'),
};

const persistentBoot = z.enum(['Default', 'Always', 'Never']).default('Default');

const workers = z.object({
  ...common,
  ...ironicAccess,
  IRONIC_POLL_INTERVAL: millis(
    1_000,
    'milliseconds between two list requests while hosts are busy; half of it while there are few',
  ),
  ...agentUrls,
  IRONIC_EXTERNAL_URL_V6: z
    .string()
    .optional()
    .describe('where BMCs that are reached by IPv6 find the images that Ironic serves'),
  PROVISIONING_NETWORK_DISABLED: flag('refuse BMC types that need a provisioning network'),
  LIVE_ISO_FORCE_PERSISTENT_BOOT_DEVICE: persistentBoot.describe('for live ISOs'),
  DIRECT_DEPLOY_FORCE_PERSISTENT_BOOT_DEVICE: persistentBoot.describe('for images on disk'),
  FIXTURE_TIME_SCALE: z.coerce
    .number()
    .nonnegative()
    .default(1)
    .describe('how long machines of the fixture take, as a multiple of upstream’s times; `0.1` is a tenth'),
  ENABLE_BMH_NAME_BASED_PREALLOCATION: flag(
    'name IPClaims of machines after their BareMetalHosts, so that an IPPool can keep an address for each',
  ),
});

export const workersConfig = workers
  .refine(
    ({ IRONIC_ENDPOINT, IRONIC_NAME, PROVISIONER }) => IRONIC_ENDPOINT || IRONIC_NAME || PROVISIONER === 'fixture',
    { path: ['IRONIC_ENDPOINT'], error: 'is required, or IRONIC_NAME', when: () => true },
  )
  .refine(hasKernel, NEEDS_KERNEL);
export type WorkersConfig = z.infer<typeof workersConfig>;

const bridge = z.object({
  ...common,
  CONTROLLER_CONCURRENCY: z.coerce
    .number()
    .int()
    .nonnegative()
    .default(0)
    .describe('hosts looked at side by side; 0: BMO_CONCURRENCY'),
  BMO_CONCURRENCY: z.coerce
    .number()
    .int()
    .default(0)
    .describe('the same; 0 or less: one for each CPU, but 2 at least and 8 at most'),
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
    .describe(
      'hosts that Ironic may have in hand at the same time, those left out whose BMC boots the deploy agent’s ISO',
    ),
  ...ironicAccess,
  IRONIC_SWEEP_INTERVAL: duration(
    '60s',
    (ms) => ms > 0,
    'more than 0',
    'between two looks at all of Ironic’s nodes, for what changed while nothing was asked of them',
  ),
  LABEL_SWEEP_INTERVAL: duration(
    '60s',
    (ms) => ms > 0,
    'more than 0',
    'between two looks at the Nodes of those clusters that get labels of their hosts, for labels that somebody changed',
  ),
  WATCH_FILTER: z
    .string()
    .default('')
    .describe(
      'of machines, clusters and their data only those are looked after whose label `cluster.x-k8s.io/watch-filter` has this value; empty: all. BareMetalHosts always are. Two Tempers with different values need a TEMPORAL_NAMESPACE each',
    ),
  PROVIDER_ID_FORMAT: z
    .enum(['names', 'uid'])
    .default('names')
    .describe(
      'providerID that a Node without one gets: `names` is `metal3://<namespace>/<host>/<machine>`, `uid` the older `metal3://<uid of the host>`; one that exists is kept',
    ),
  CAPM3_FAST_TRACK: flag('a host that its machine gives back stays on, unless it is not to be cleaned'),
  BUILD_PREPROV_IMAGE: flag('the deploy agent’s images come from PreprovisioningImages'),
  ...agentUrls,
  DEPLOY_ISO_BY_ARCH: byArchitecture('ISOs'),
  DEPLOY_KERNEL_BY_ARCH: byArchitecture('kernels'),
  DEPLOY_RAMDISK_BY_ARCH: byArchitecture('ramdisks'),
  IRONIC_NETWORKING_ENABLED: z
    .string()
    .default('false')
    .refine((text) => goBoolean(text) !== undefined, 'must be true or false')
    .describe('without effect, like the three that follow: BareMetalSwitches are not served'),
  IRONIC_SWITCH_CONFIGS_SECRET: z.string().optional().describe('without effect'),
  IRONIC_SWITCH_CREDENTIALS_SECRET: z.string().optional().describe('without effect'),
  IRONIC_SWITCH_CREDENTIALS_PATH: z.string().optional().describe('without effect'),
  HOSTCLAIMS: flag('without effect: HostClaims are not served'),
  WEBHOOK_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(9443)
    .describe('port of the admission webhooks; 0: none'),
  WEBHOOK_HOST: z.string().default('0.0.0.0').describe('address they listen on'),
  WEBHOOK_CERTIFICATES: z
    .enum(['mounted', 'self-managed'])
    .default('mounted')
    .describe('where their certificate comes from: a folder, or made and kept in a Secret by the bridge'),
  WEBHOOK_CERT_DIR: z
    .string()
    .default('/tmp/k8s-webhook-server/serving-certs')
    .describe('folder with tls.crt and tls.key, as cert-manager fills it; read again when it changes'),
  WEBHOOK_CONFIGURATION: z
    .string()
    .default('temper-validating-webhook-configuration')
    .describe('ValidatingWebhookConfiguration that a self-managed certificate is made for and whose caBundle is kept'),
  WEBHOOK_MUTATING_CONFIGURATION: z
    .string()
    .default('temper-mutating-webhook-configuration')
    .describe('the same of the MutatingWebhookConfiguration'),
  TEMPER_HISTORY_LIMIT: z.coerce
    .number()
    .int()
    .min(50)
    .optional()
    .describe('events after which a host’s run is continued as new'),
});
export const bridgeConfig = bridge
  .refine(hasKernel, NEEDS_KERNEL)
  .refine(
    ({ PROVISIONER, BUILD_PREPROV_IMAGE: builds, DEPLOY_KERNEL_URL: kernel, DEPLOY_RAMDISK_URL: ramdisk }) =>
      PROVISIONER === 'fixture' || builds || kernel === undefined || ramdisk !== undefined,
    {
      path: ['DEPLOY_KERNEL_URL'],
      error: 'needs DEPLOY_RAMDISK_URL beside it, or BUILD_PREPROV_IMAGE',
      when: () => true,
    },
  );
export type BridgeConfig = z.infer<typeof bridgeConfig>;

/** Namespaces to watch; none: all there are. */
export const watchedNamespaces = ({ WATCH_NAMESPACE }: Pick<BridgeConfig, 'WATCH_NAMESPACE'>): readonly string[] =>
  WATCH_NAMESPACE.split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Where what belongs to this process itself lies. */
export function homeNamespace(config: Pick<BridgeConfig, 'WATCH_NAMESPACE' | 'POD_NAMESPACE'>): string {
  const [only, ...others] = watchedNamespaces(config);
  return config.POD_NAMESPACE ?? (only !== undefined && others.length === 0 ? only : 'default');
}

/** How many hosts are looked at side by side, given the CPUs there are. */
export function concurrencyOf(
  {
    CONTROLLER_CONCURRENCY: byFlag,
    BMO_CONCURRENCY: byVariable,
  }: Pick<BridgeConfig, 'CONTROLLER_CONCURRENCY' | 'BMO_CONCURRENCY'>,
  cpus: number,
): number {
  if (byFlag > 0) return byFlag;
  return byVariable > 0 ? byVariable : Math.min(Math.max(cpus, 2), 8);
}

/**
 * Parses command line and environment, of which the command line wins; a bad value names its flag or variable and is a
 * reason not to start.
 */
export function readConfig<Schema extends z.ZodType>(
  schema: Schema,
  env: NodeJS.ProcessEnv,
  args: readonly string[] = [],
): z.infer<Schema> {
  const { values, flagOf } = readFlags(args);
  const given = Object.entries({ ...env, ...values }).filter(([, value]) => value !== '');
  const parsed = schema.safeParse(Object.fromEntries(given));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => {
    const variable = path.join('.');
    return `${flagOf[variable] ?? variable}: ${message}`;
  });
  throw new Error(`configuration:\n  ${problems.join('\n  ')}`);
}
