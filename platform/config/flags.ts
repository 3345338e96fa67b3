interface Flag {
  /** The variable that it sets. */
  readonly variable: string;
  /** True when given without a value. */
  readonly isSwitch?: true;
}

/**
 * The complete command line of baremetal-operator, so that its manifests start bridge and workers unchanged. Then flags
 * of cluster-api-provider-metal3, and one of our own.
 */
export const FLAGS: Readonly<Record<string, Flag>> = {
  namespace: { variable: 'WATCH_NAMESPACE' },
  kubeconfig: { variable: 'KUBECONFIG' },
  'metrics-addr': { variable: 'METRICS_ADDR' },
  'health-addr': { variable: 'HEALTH_ADDR' },
  'webhook-port': { variable: 'WEBHOOK_PORT' },
  'enable-leader-election': { variable: 'ENABLE_LEADER_ELECTION', isSwitch: true },
  'lease-duration-seconds': { variable: 'LEASE_DURATION_SECONDS' },
  'renew-deadline-seconds': { variable: 'RENEW_DEADLINE_SECONDS' },
  'retry-period-seconds': { variable: 'RETRY_PERIOD_SECONDS' },
  'build-preprov-image': { variable: 'BUILD_PREPROV_IMAGE', isSwitch: true },
  hostclaims: { variable: 'HOSTCLAIMS', isSwitch: true },
  provisioner: { variable: 'PROVISIONER' },
  dev: { variable: 'DEV_LOGGING', isSwitch: true },
  'kube-api-qps': { variable: 'KUBE_API_QPS' },
  'kube-api-burst': { variable: 'KUBE_API_BURST' },
  'controller-concurrency': { variable: 'CONTROLLER_CONCURRENCY' },
  'max-provisioning-retries': { variable: 'MAX_PROVISIONING_RETRIES' },
  'tls-min-version': { variable: 'TLS_MIN_VERSION' },
  'tls-max-version': { variable: 'TLS_MAX_VERSION' },
  'tls-cipher-suites': { variable: 'TLS_CIPHER_SUITES' },
  'tls-curve-preferences': { variable: 'TLS_CURVE_PREFERENCES' },
  'watch-filter': { variable: 'WATCH_FILTER' },
  'enable-bmh-name-based-preallocation': { variable: 'ENABLE_BMH_NAME_BASED_PREALLOCATION', isSwitch: true },
  'provider-id-format': { variable: 'PROVIDER_ID_FORMAT' },
};

/** Flags of older releases and their replacements. */
const REMOVED: Readonly<Record<string, string>> = {
  'test-mode': 'use -provisioner=fixture',
  'demo-mode': 'use -provisioner=fixture',
  'ironic-name': 'set the variable IRONIC_NAME',
  'ironic-namespace': 'set the variable IRONIC_NAMESPACE',
};

export interface CommandLine {
  /** By variable; an empty value also overrides the variable. */
  readonly values: Readonly<Record<string, string>>;
  /** The flag to name in messages, by variable. */
  readonly flagOf: Readonly<Record<string, string>>;
}

/**
 * Reads `-name=value`, `--name value` and, for a switch, `-name`; throws on unknown flags. The last occurrence is used.
 */
export function readFlags(args: readonly string[]): CommandLine {
  const values: Record<string, string> = {};
  const flagOf: Record<string, string> = {};
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    const [, name = '', value] = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(word) ?? [];
    if (name === '') throw new Error(`command line: '${word}' is not a flag`);
    const known = Object.hasOwn(FLAGS, name) ? FLAGS[name] : undefined;
    if (known === undefined) throw new Error(`command line: ${unknownFlag(name)}`);
    const { variable, isSwitch } = known;
    flagOf[variable] = `-${name}`;
    if (isSwitch) values[variable] = switched(name, value ?? 'true');
    else {
      const taken = value ?? args[(at += 1)];
      if (taken === undefined) throw new Error(`command line: -${name} needs a value`);
      values[variable] = taken;
    }
  }
  return { values, flagOf };
}

function unknownFlag(name: string): string {
  const instead = Object.hasOwn(REMOVED, name) ? REMOVED[name] : undefined;
  return instead === undefined ? `there is no flag -${name}` : `-${name} was removed: ${instead}`;
}

function switched(name: string, text: string): string {
  const value = goBoolean(text);
  if (value === undefined) throw new Error(`command line: -${name} must be true or false, not '${text}'`);
  return String(value);
}

export const asksForHelp = (args: readonly string[]): boolean => args.some((word) => /^--?h(?:elp)?$/.test(word));

/** All flags, each with its variable. */
export const usage = (): string =>
  Object.entries(FLAGS)
    .map(([name, { variable, isSwitch }]) => `  -${name}${isSwitch ? '' : ' value'}\n        as ${variable}\n`)
    .join('');

const TRUE = ['1', 't', 'T', 'true', 'TRUE', 'True'];
const FALSE = ['0', 'f', 'F', 'false', 'FALSE', 'False'];

/** Go's texts for true and false; undefined for anything else. */
export function goBoolean(text: string): boolean | undefined {
  if (TRUE.includes(text)) return true;
  return FALSE.includes(text) ? false : undefined;
}
