import { z } from 'zod';
import { DEFAULT_HOST_SETTINGS } from '../../domain/host/memory/settings.ts';
import { codecSettings } from './codec-settings.ts';
import {
  address,
  booleanSetting,
  count,
  countOrNone,
  duration,
  hostSetting,
  namesFrom,
  optionalAddress,
  optionalText,
  secondsOf,
  split,
  text,
} from './config-values.ts';
import { controllersSetting, noUselessControllers } from './controllers.ts';
import { discoverySettings, namesMachines } from './discovery-settings.ts';
import { goBoolean, readFlags } from './flags.ts';
import { ironicSettings } from './ironic-settings.ts';
import { machineApiSettings, machineDefaults, noMachinesWithoutHosts } from './machine-api-settings.ts';
import { proxySettings, proxyVariables, WORKLOAD_CLUSTER_PROXIES } from './proxy-settings.ts';
import { setVariables } from './set-variables.ts';
import { noContradictions, temporalSettings } from './temporal-settings.ts';
import { CIPHER_SUITES, CURVES, TLS_VERSIONS } from './tls-names.ts';
import { tracingSettings } from './tracing-settings.ts';

/** All settings of bridge and workers: name, meaning, default. Read once at the start and passed down. */

export const PROVISIONERS = ['ironic', 'fixture'] as const;

const common = {
  ...temporalSettings,
  TEMPORAL_COMMAND: optionalText(
    'how people call Temporal’s command line, for the commands in the details of runs and in messages; default: `temporal` with TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE in front of it. Set it where people reach Temporal at another address',
  ),
  TEMPORAL_SDK_UNCHANGED: booleanSetting(
    'the workers run Temporal’s SDK as it is: the Web UI shows call stacks, and one activation may take 5 s instead of 25. Workers take a seventh more CPU time, or more (decision 0014)',
  ),
  KUBECONFIG: optionalText('kubeconfig file; by default the pod’s own service account'),
  ...proxySettings,
  WORKLOAD_CLUSTER_PROXIES,
  WATCH_NAMESPACE: text('', 'namespaces to watch, comma-separated; empty: all'),
  POD_NAMESPACE: optionalText(
    'namespace of the Lease and of the Ironic object; default: the watched namespace, if there is only one, else `default`',
  ),
  POD_NAME: optionalText('identity in the Lease; default: host name and process id'),
  HEALTH_ADDR: address('host:port of /healthz and /readyz').default({ hostname: '', port: 9440 }),
  METRICS_ADDR: optionalAddress('host:port of /metrics; `0` turns it off').default({ hostname: '', port: 8443 }),
  METRICS_INSECURE: booleanSetting(
    'serve /metrics over plain HTTP without authentication; otherwise over HTTPS, to clients that may get `/metrics`',
  ),
  METRICS_CERT_DIR: text(
    '/tmp/k8s-metrics-server/metrics-certs',
    'folder with tls.crt and tls.key for /metrics; when missing, a self-signed certificate is created at the start',
  ),
  TLS_MIN_VERSION: z.enum(TLS_VERSIONS).default('TLS12').describe('minimum TLS version'),
  TLS_MAX_VERSION: z.enum(TLS_VERSIONS).default('TLS13').describe('maximum TLS version'),
  TLS_CIPHER_SUITES: namesFrom(
    CIPHER_SUITES,
    'cipher suites of TLS 1.2 by their Go names, comma-separated; empty: those of Node. Suites of TLS 1.3 cannot be selected',
  ),
  TLS_CURVE_PREFERENCES: namesFrom(CURVES, 'key exchanges by their Go names, comma-separated; empty: those of Node'),
  KUBE_API_QPS: z.coerce
    .number()
    .nonnegative()
    .default(0)
    .describe(
      'requests to the API server in a second, without watches; 0: no limit. The last read before a change of a server, and its mark on the object, do not count',
    ),
  KUBE_API_BURST: count(30, 'size of a burst of requests above KUBE_API_QPS'),
  CONTROLLERS: controllersSetting,
  PROVISIONER: z
    .enum(PROVISIONERS)
    .default('ironic')
    .describe('what manages the servers; `fixture` simulates everything'),
  PROVISIONER_PLUGIN_DIR: optionalText('without effect: there are no plugins'),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal']).default('info').describe('minimum log level'),
  TEMPER_LAB: booleanSetting('accept the lab’s BMC scheme fake-hardware://'),
  DEV_LOGGING: booleanSetting('log from level `debug` on, with readable times'),
  ...tracingSettings,
};

const agentUrl = (name: 'ISO' | 'KERNEL' | 'RAMDISK') =>
  optionalText(
    `${name === 'ISO' ? name : name.toLowerCase()} of the deploy agent; for PreprovisioningImages of one architecture ` +
      `\`DEPLOY_${name}_URL_<ARCHITECTURE>\` takes precedence`,
  );
const agentUrls = {
  DEPLOY_ISO_URL: agentUrl('ISO'),
  DEPLOY_KERNEL_URL: agentUrl('KERNEL'),
  DEPLOY_RAMDISK_URL: agentUrl('RAMDISK'),
};
/** A ramdisk needs its kernel; a kernel alone is used only with ramdisks that are built. */
type AgentParts = Readonly<Partial<Record<keyof typeof agentUrls | 'PROVISIONER', string | undefined>>>;
const hasKernel = ({ PROVISIONER, DEPLOY_KERNEL_URL: kernel, DEPLOY_RAMDISK_URL: ramdisk }: AgentParts): boolean =>
  PROVISIONER === 'fixture' || kernel !== undefined || ramdisk === undefined;
const NEEDS_KERNEL = {
  path: ['DEPLOY_RAMDISK_URL'],
  error: 'requires DEPLOY_KERNEL_URL',
  // Checked also when there are other problems, because one start should report all of them.
  when: () => true,
};

const byArchitecture = (what: string) =>
  optionalText(`${what} of the deploy agent for PreprovisioningImages, as \`architecture:URL,architecture:URL\``);

const persistentBoot = z.enum(['Default', 'Always', 'Never']).default('Default');

const workers = z.object({
  ...common,
  ...ironicSettings,
  IRONIC_POLL_INTERVAL: count(
    1_000,
    'milliseconds between two list requests while hosts are busy; half of it while only few are',
  ),
  IRONIC_PATIENCE: duration(
    '3m',
    (ms) => ms >= 60_000,
    '1m or more',
    'how long a process waits for a list of Ironic’s nodes before it leaves all that needs Ironic to other processes; then it goes on listing, and takes such tasks again after a list',
  ),
  SHUTDOWN_GRACE_TIME: duration(
    '40s',
    (ms) => ms >= 0,
    '0 or more',
    'how long an activity that is running when the process is asked to stop may go on before it is cancelled; waiting for Ironic or a Node ends after 5s',
  ),
  IRONIC_STEP_DEADLINE: count(
    3 * 60 * 60_000,
    'milliseconds after which a step has failed that Ironic is still busy with; the time is not up while Ironic, or every worker, is away',
  ),
  TEMPORAL_DEPLOYMENT_NAME: z
    .string()
    .regex(/^[^.:]+$/, 'must not contain . or :')
    .optional()
    .describe(
      'name of Temporal’s worker deployment, for example `temper`: gives the workers a version, see [upgrade.md](operations/upgrade.md); empty: no version',
    ),
  TEMPORAL_WORKER_BUILD_ID: optionalText('build id of the version; default: that of the workflow code'),
  MAX_CONCURRENT_WAITS: count(
    2_000,
    'operations of Ironic that one process waits for at the same time; counted separately: answers of hosts’ runs, and Nodes of machines',
  ),
  ...agentUrls,
  IRONIC_EXTERNAL_URL_V6: optionalText('address at which BMCs with IPv6 download Ironic’s images'),
  PROVISIONING_NETWORK_DISABLED: booleanSetting('refuse BMC types that need a provisioning network'),
  LIVE_ISO_FORCE_PERSISTENT_BOOT_DEVICE: persistentBoot.describe('for live ISOs'),
  DIRECT_DEPLOY_FORCE_PERSISTENT_BOOT_DEVICE: persistentBoot.describe('for images on disk'),
  FIXTURE_TIME_SCALE: z.coerce
    .number()
    .nonnegative()
    .default(1)
    .describe('duration of the fixture’s operations, as a multiple of upstream’s; `0.1` is a tenth'),
  ENABLE_BMH_NAME_BASED_PREALLOCATION: booleanSetting(
    'name IPClaims of machines after their BareMetalHosts, so that an IPPool can reserve an address for each host',
  ),
  ...machineDefaults,
});

export const workersConfig = workers
  .refine(
    ({ IRONIC_ENDPOINT, IRONIC_NAME, PROVISIONER, CONTROLLERS }) =>
      IRONIC_ENDPOINT || IRONIC_NAME || PROVISIONER === 'fixture' || !CONTROLLERS.includes('hosts'),
    { path: ['IRONIC_ENDPOINT'], error: 'is required, or IRONIC_NAME', when: () => true },
  )
  .refine(hasKernel, NEEDS_KERNEL)
  .superRefine(noContradictions)
  .superRefine(noUselessControllers);
export type WorkersConfig = z.infer<typeof workersConfig>;

const bridge = z.object({
  ...common,
  CONTROLLER_CONCURRENCY: countOrNone(0, 'hosts reconciled at the same time; 0: BMO_CONCURRENCY'),
  BMO_CONCURRENCY: z.coerce
    .number()
    .int()
    .default(0)
    .describe('the same; 0 or less: one for each CPU, but 2 at least and 8 at most'),
  ENABLE_LEADER_ELECTION: booleanSetting('several bridges, one of them active, with a Lease'),
  LEASE_DURATION_SECONDS: secondsOf(15, 'the Lease of a leader that does not renew it expires after this time'),
  RENEW_DEADLINE_SECONDS: secondsOf(10, 'a leader that cannot renew its Lease stops after this time'),
  RETRY_PERIOD_SECONDS: secondsOf(2, 'seconds between two attempts to get the Lease'),
  MAX_PROVISIONING_RETRIES: countOrNone(
    DEFAULT_HOST_SETTINGS.maxProvisioningRetries,
    'failed deployments of one image before it is given up; 0: no limit',
  ),
  PROVISIONING_LIMIT: count(
    DEFAULT_HOST_SETTINGS.provisioningLimit,
    'hosts that Ironic works on at the same time, without those whose BMC boots the deploy agent from an ISO; while more wait, namespaces have turns',
  ),
  FIXTURE_PROVISIONING_LIMIT: z.coerce
    .number()
    .int()
    .positive()
    .optional()
    .describe('the same for the fixture; without it the fixture has no limit, and no host requests a slot'),
  ...ironicSettings,
  IRONIC_SWEEP_INTERVAL: duration(
    '60s',
    (ms) => ms > 0,
    'more than 0',
    'interval between two lists of all Ironic nodes, to find changes made outside of Temper',
  ),
  ...discoverySettings,
  LABEL_SWEEP_INTERVAL: duration(
    '60s',
    (ms) => ms > 0,
    'more than 0',
    'interval between two lists of the Nodes of clusters with copied labels, to find changed labels',
  ),
  WATCH_FILTER: text(
    '',
    'only machines, clusters and their data whose label `cluster.x-k8s.io/watch-filter` has this value are reconciled; empty: all. BareMetalHosts are always reconciled. Two Tempers with different values need different TEMPORAL_NAMESPACEs',
  ),
  PROVIDER_ID_FORMAT: z
    .enum(['names', 'uid'])
    .default('names')
    .describe(
      'format of new providerIDs: `names` is `metal3://<namespace>/<host>/<machine>`, `uid` the older `metal3://<uid of the host>`; existing ones are kept',
    ),
  ...machineApiSettings,
  CAPM3_FAST_TRACK: booleanSetting('a released host stays powered on, unless it is not cleaned'),
  BUILD_PREPROV_IMAGE: booleanSetting('the deploy agent’s images come from PreprovisioningImages'),
  ...agentUrls,
  DEPLOY_ISO_BY_ARCH: byArchitecture('ISOs'),
  DEPLOY_KERNEL_BY_ARCH: byArchitecture('kernels'),
  DEPLOY_RAMDISK_BY_ARCH: byArchitecture('ramdisks'),
  IRONIC_NETWORKING_ENABLED: z
    .string()
    .default('false')
    .refine((text) => goBoolean(text) !== undefined, 'must be true or false')
    .describe('without effect, like the next three: BareMetalSwitches are not supported'),
  IRONIC_SWITCH_CONFIGS_SECRET: optionalText('without effect'),
  IRONIC_SWITCH_CREDENTIALS_SECRET: optionalText('without effect'),
  IRONIC_SWITCH_CREDENTIALS_PATH: optionalText('without effect'),
  HOSTCLAIMS: booleanSetting('without effect: HostClaims are not supported'),
  WEBHOOK_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(9443)
    .describe('port of the admission webhooks; 0 turns them off'),
  WEBHOOK_HOST: hostSetting('address of the admission webhooks; empty: all'),
  WEBHOOK_CERTIFICATES: z
    .enum(['mounted', 'self-managed'])
    .default('mounted')
    .describe('source of their certificate: a mounted folder, or a Secret that the bridge manages itself'),
  WEBHOOK_CERT_DIR: text(
    '/tmp/k8s-webhook-server/serving-certs',
    'folder with tls.crt and tls.key, as cert-manager fills it; read again after a change',
  ),
  WEBHOOK_CONFIGURATION: text(
    'temper-validating-webhook-configuration',
    'ValidatingWebhookConfiguration for whose names a self-managed certificate is created, and whose caBundle is updated',
  ),
  WEBHOOK_MUTATING_CONFIGURATION: text(
    'temper-mutating-webhook-configuration',
    'the same for the MutatingWebhookConfiguration',
  ),
  ...codecSettings,
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
      error: 'requires DEPLOY_RAMDISK_URL, or BUILD_PREPROV_IMAGE',
      when: () => true,
    },
  )
  .refine(namesMachines, {
    path: ['DISCOVERY_ENABLED'],
    error: 'requires DISCOVERY_MAC_PREFIXES, DISCOVERY_BMC_NETWORKS or DISCOVERY_RULES',
  })
  .refine(
    ({ DISCOVERY_NAMESPACE: namespace, WATCH_NAMESPACE }) =>
      namespace === undefined || WATCH_NAMESPACE === '' || watchedNamespaces({ WATCH_NAMESPACE }).includes(namespace),
    { path: ['DISCOVERY_NAMESPACE'], error: 'is not one of WATCH_NAMESPACE' },
  )
  .superRefine(noContradictions)
  .superRefine(noUselessControllers)
  .superRefine(noMachinesWithoutHosts);
export type BridgeConfig = z.infer<typeof bridgeConfig>;

/** Namespaces to watch; an empty list means all. */
export const watchedNamespaces = ({ WATCH_NAMESPACE }: { readonly WATCH_NAMESPACE: string }): readonly string[] =>
  split(WATCH_NAMESPACE);

/** Namespace of the objects of this process itself. */
export function homeNamespace(config: Pick<BridgeConfig, 'WATCH_NAMESPACE' | 'POD_NAMESPACE'>): string {
  const [only, ...others] = watchedNamespaces(config);
  return config.POD_NAMESPACE ?? (only !== undefined && others.length === 0 ? only : 'default');
}

/** How many hosts are reconciled at the same time, by the number of CPUs. */
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
 * Parses command line and environment; the command line takes precedence. A bad value prevents the start with a message
 * that names its flag or variable.
 */
export function readConfig<Schema extends z.ZodType>(
  schema: Schema,
  env: NodeJS.ProcessEnv,
  args: readonly string[] = [],
): z.infer<Schema> {
  const { values, flagOf } = readFlags(args);
  const parsed = schema.safeParse(setVariables({ ...env, ...proxyVariables(env), ...values }));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => {
    const variable = path.join('.');
    return `${flagOf[variable] ?? variable}: ${message}`;
  });
  throw new Error(`configuration:\n  ${problems.join('\n  ')}`);
}
