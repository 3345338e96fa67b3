import { describe, expect, test } from 'vitest';
import { bridgeConfig, readConfig, workersConfig } from './config.ts';
import { FLAGS, readFlags, usage } from './flags.ts';

const bridge = (args: readonly string[], env: NodeJS.ProcessEnv = {}) => readConfig(bridgeConfig, env, args);

/**
 * As in the manifests of baremetal-operator, at its commit 02aa505, and one value of each other flag; then those of
 * cluster-api-provider-metal3, and our own.
 */
const EVERY_FLAG = [
  '--enable-leader-election',
  '--hostclaims',
  '-namespace=metal3',
  '-metrics-addr=127.0.0.1:8080',
  '-health-addr=:9440',
  '-webhook-port=0',
  '-lease-duration-seconds=30',
  '-renew-deadline-seconds=20',
  '-retry-period-seconds=5',
  '-build-preprov-image',
  '-provisioner=ironic',
  '-dev',
  '-kube-api-qps=12.5',
  '-kube-api-burst=25',
  '-controller-concurrency=3',
  '-max-provisioning-retries=0',
  '-tls-min-version=TLS13',
  '-tls-max-version=TLS13',
  '-tls-cipher-suites=TLS_AES_128_GCM_SHA256',
  '-tls-curve-preferences=X25519,CurveP256',
  '-kubeconfig=/etc/kubeconfig',
  '--watch-filter=blue',
  '--enable-bmh-name-based-preallocation=true',
  '-provider-id-format=uid',
];

describe('the command line of baremetal-operator', () => {
  test('is understood, every flag of it', () => {
    expect(EVERY_FLAG.map((word) => word.replace(/^--?|=.*$/g, '')).toSorted()).toEqual(Object.keys(FLAGS).toSorted());
    expect(bridge(EVERY_FLAG)).toMatchObject({
      ENABLE_LEADER_ELECTION: true,
      HOSTCLAIMS: true,
      WATCH_NAMESPACE: 'metal3',
      METRICS_ADDR: { hostname: '127.0.0.1', port: 8080 },
      HEALTH_ADDR: { hostname: '', port: 9440 },
      WEBHOOK_PORT: 0,
      LEASE_DURATION_SECONDS: 30,
      RENEW_DEADLINE_SECONDS: 20,
      RETRY_PERIOD_SECONDS: 5,
      BUILD_PREPROV_IMAGE: true,
      PROVISIONER: 'ironic',
      DEV_LOGGING: true,
      KUBE_API_QPS: 12.5,
      KUBE_API_BURST: 25,
      CONTROLLER_CONCURRENCY: 3,
      MAX_PROVISIONING_RETRIES: 0,
      TLS_MIN_VERSION: 'TLS13',
      TLS_MAX_VERSION: 'TLS13',
      TLS_CIPHER_SUITES: ['TLS_AES_128_GCM_SHA256'],
      TLS_CURVE_PREFERENCES: ['X25519', 'P-256'],
      KUBECONFIG: '/etc/kubeconfig',
      WATCH_FILTER: 'blue',
      PROVIDER_ID_FORMAT: 'uid',
    });
  });

  test('is taken by the workers too, also where only the bridge heeds it', () => {
    const env = { IRONIC_ENDPOINT: 'http://ironic:6385/v1/' };
    expect(readConfig(workersConfig, env, EVERY_FLAG)).toMatchObject({
      WATCH_NAMESPACE: 'metal3',
      DEV_LOGGING: true,
      ENABLE_BMH_NAME_BASED_PREALLOCATION: true,
    });
  });

  test('stands for variables that a process reads', () => {
    const known = new Set([...Object.keys(bridgeConfig.shape), ...Object.keys(workersConfig.shape)]);
    expect(Object.values(FLAGS).filter(({ variable }) => !known.has(variable))).toEqual([]);
  });

  test.for([
    ['-namespace=a'],
    ['--namespace=a'],
    ['-namespace', 'a'],
    ['--namespace', 'a'],
    ['-namespace=b', '-namespace=a'],
  ])('may be written as %j', (args) => {
    expect(bridge(args).WATCH_NAMESPACE).toBe('a');
  });

  test('uses the word after a flag as its value, whatever it is, as Go does', () => {
    expect(bridge(['-namespace', '-dev'])).toMatchObject({ WATCH_NAMESPACE: '-dev', DEV_LOGGING: false });
  });

  test.for([
    ['-dev', true],
    ['-dev=true', true],
    ['-dev=T', true],
    ['-dev=1', true],
    ['-dev=false', false],
    ['-dev=0', false],
  ] as const)('switches by %s', ([word, wanted]) => {
    expect(bridge([word], { DEV_LOGGING: String(!wanted) }).DEV_LOGGING).toBe(wanted);
  });

  test('wins over the environment, also by an empty value', () => {
    const env = { WATCH_NAMESPACE: 'by-variable', LEASE_DURATION_SECONDS: '60' };
    expect(bridge(['-namespace=by-flag'], env).WATCH_NAMESPACE).toBe('by-flag');
    const { WATCH_NAMESPACE, LEASE_DURATION_SECONDS } = bridge(['-namespace=', '-lease-duration-seconds='], env);
    expect([WATCH_NAMESPACE, LEASE_DURATION_SECONDS]).toEqual(['', 15]);
  });

  test.for([
    [['-frobnicate'], 'there is no flag -frobnicate'],
    [['-constructor=1'], 'there is no flag -constructor'],
    // Of cluster-api-provider-metal3 and ip-address-manager.
    [['--leader-elect'], 'there is no flag -leader-elect'],
    [['--leader-elect-lease-duration=15s'], 'there is no flag -leader-elect-lease-duration'],
    [['--webhook-cert-dir=/certs'], 'there is no flag -webhook-cert-dir'],
    [['--sync-period=10m'], 'there is no flag -sync-period'],
    [['--metal3machine-concurrency=10'], 'there is no flag -metal3machine-concurrency'],
    [['--ippool-concurrency=10'], 'there is no flag -ippool-concurrency'],
    [['--clustercache-client-qps=20'], 'there is no flag -clustercache-client-qps'],
    [['--diagnostics-address=:8443'], 'there is no flag -diagnostics-address'],
    [['metal3'], "'metal3' is not a flag"],
    [['-'], "'-' is not a flag"],
    [['--'], "'--' is not a flag"],
    [['-namespace'], '-namespace needs a value'],
    [['-dev=maybe'], "-dev must be true or false, not 'maybe'"],
    [['-test-mode'], '-test-mode was removed: use -provisioner=fixture'],
    [['--demo-mode=true'], '-demo-mode was removed: use -provisioner=fixture'],
    [['-ironic-name', 'ironic'], '-ironic-name was removed: set the variable IRONIC_NAME'],
    [['-ironic-namespace=x'], '-ironic-namespace was removed: set the variable IRONIC_NAMESPACE'],
  ] as const)('is refused as %j, with the reason', ([args, reason]) => {
    expect(() => readFlags(args)).toThrow(`command line: ${reason}`);
  });

  test.for([
    ['-max-provisioning-retries=-1', /^ {2}-max-provisioning-retries: /m],
    ['-controller-concurrency=-1', /^ {2}-controller-concurrency: /m],
    ['-webhook-port=many', /^ {2}-webhook-port: /m],
    ['-metrics-addr=here', /^ {2}-metrics-addr: must be host:port, or 0 to turn it off/m],
    ['-provisioner=demo', /^ {2}-provisioner: /m],
    ['-tls-min-version=TLS11', /^ {2}-tls-min-version: /m],
    ['-tls-cipher-suites=TLS_NULL', /^ {2}-tls-cipher-suites: 'TLS_NULL' is not one of TLS_AES_128_GCM_SHA256, /m],
    ['-tls-curve-preferences=P-256', /^ {2}-tls-curve-preferences: 'P-256' is not one of X25519, /m],
  ] as const)('names the flag when its value is of no use: %s', ([word, message]) => {
    expect(() => bridge([word])).toThrow(message);
  });

  test('can be listed', () => {
    expect(usage()).toContain('  -namespace value\n        as WATCH_NAMESPACE\n');
    expect(usage()).toContain('  -dev\n        as DEV_LOGGING\n');
  });
});
