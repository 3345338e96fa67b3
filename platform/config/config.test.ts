import { describe, expect, test } from 'vitest';
import { bridgeConfig, concurrencyOf, homeNamespace, readConfig, watchedNamespaces, workersConfig } from './config.ts';

describe('the configuration', () => {
  test('has a default for everything but where Ironic is', () => {
    expect(readConfig(workersConfig, { IRONIC_ENDPOINT: 'http://ironic:6385/v1/' })).toMatchObject({
      TEMPORAL_ADDRESS: '127.0.0.1:7233',
      IRONIC_INSECURE: false,
      IRONIC_POLL_INTERVAL: 1_000,
      IRONIC_CLIENT_TIMEOUT: 30_000,
      IRONIC_SKIP_CLIENT_SAN_VERIFY: false,
      PROVISIONER: 'ironic',
      HEALTH_ADDR: { hostname: '', port: 9440 },
      METRICS_ADDR: { hostname: '', port: 8443 },
    });
    expect(readConfig(bridgeConfig, {})).toMatchObject({
      WATCH_NAMESPACE: '',
      ENABLE_LEADER_ELECTION: false,
      WEBHOOK_PORT: 9443,
      TLS_MIN_VERSION: 'TLS12',
      TLS_MAX_VERSION: 'TLS13',
      MAX_PROVISIONING_RETRIES: 5,
      PROVISIONING_LIMIT: 20,
      BUILD_PREPROV_IMAGE: false,
    });
  });
  test('has no Machine API unless that is wanted, and no secret in the URL of its image', () => {
    expect(readConfig(bridgeConfig, {}).MACHINE_API).toBe('off');
    const read = (url: string) => readConfig(bridgeConfig, { MACHINE_API_IMAGE_URL: url }).MACHINE_API_IMAGE_URL;
    expect(read('http://images/a')).toBe('http://images/a');
    for (const url of ['http://me:secret@images/a', 'http://images/a?sig=secret']) {
      expect(() => read(url)).toThrow('MACHINE_API_IMAGE_URL: must have neither a user nor a query');
    }
  });
  test('names every bad or missing value', () => {
    const read = () => readConfig(workersConfig, { IRONIC_POLL_INTERVAL: 'soon', HEALTH_ADDR: 'here' });
    expect(read).toThrow(/IRONIC_ENDPOINT: .*/);
    expect(read).toThrow(/IRONIC_POLL_INTERVAL: .*/);
    expect(read).toThrow(/HEALTH_ADDR: must be host:port/);
  });
  test('needs no Ironic with the fixture', () => {
    expect(readConfig(workersConfig, { PROVISIONER: 'fixture' })).toMatchObject({ PROVISIONER: 'fixture' });
    expect(() => readConfig(workersConfig, { PROVISIONER: 'demo' })).toThrow(/PROVISIONER: .*/);
  });
  test('cares for everything by default, and needs no Ironic for addresses alone', () => {
    expect(readConfig(bridgeConfig, {}).CONTROLLERS).toEqual(['hosts', 'machines', 'addresses']);
    expect(readConfig(workersConfig, { CONTROLLERS: 'addresses' }).CONTROLLERS).toEqual(['addresses']);
    expect(() => readConfig(workersConfig, { CONTROLLERS: 'hosts' })).toThrow(/IRONIC_ENDPOINT: .*/);
  });
  test.each([
    ['hosts,pools', "CONTROLLERS: 'pools' is not one of hosts, machines, addresses"],
    [',', 'CONTROLLERS: must name at least one of hosts,machines,addresses'],
    ['machines', 'CONTROLLERS: machines need hosts, too'],
  ])('refuses to care for %s', (chosen, message) => {
    expect(() => readConfig(bridgeConfig, { CONTROLLERS: chosen })).toThrow(message);
  });
  test('refuses Machines of the Machine API without hosts', () => {
    expect(() => readConfig(bridgeConfig, { CONTROLLERS: 'addresses', MACHINE_API: 'all' })).toThrow(
      'MACHINE_API: needs hosts in CONTROLLERS',
    );
  });
  test('takes an empty value for one that is not given', () => {
    expect(readConfig(bridgeConfig, { LOG_LEVEL: '' }).LOG_LEVEL).toBe('info');
  });
  test('reads truth in any case of letters', () => {
    const env = { IRONIC_ENDPOINT: 'http://ironic:6385/v1/', IRONIC_INSECURE: 'TRUE' };
    expect(readConfig(workersConfig, env).IRONIC_INSECURE).toBe(true);
  });

  test('needs no address when an Ironic object is named', () => {
    const config = readConfig(workersConfig, { IRONIC_NAME: 'ironic' });
    expect([config.IRONIC_NAME, config.IRONIC_CLIENT_CACHE_TTL]).toEqual(['ironic', 5_000]);
    expect(
      readConfig(workersConfig, { IRONIC_NAME: 'ironic', IRONIC_CLIENT_CACHE_TTL: '0' }).IRONIC_CLIENT_CACHE_TTL,
    ).toBe(0);
    expect(() => readConfig(workersConfig, { IRONIC_NAME: 'ironic', IRONIC_CLIENT_CACHE_TTL: '-1s' })).toThrow(
      'IRONIC_CLIENT_CACHE_TTL: must be a duration such as 30s, 0 or more',
    );
  });
  test('needs no Ironic for the fixture', () => {
    expect(readConfig(workersConfig, { PROVISIONER: 'fixture' }).IRONIC_ENDPOINT).toBeUndefined();
  });
  test('has no worker for Ironic created anew more often than once a minute', () => {
    const read = (text: string) => readConfig(workersConfig, { IRONIC_NAME: 'ironic', IRONIC_PATIENCE: text });
    expect(read('1m').IRONIC_PATIENCE).toBe(60_000);
    expect(() => read('59s')).toThrow('IRONIC_PATIENCE: must be a duration such as 30s, 1m or more');
  });
  test('reads durations as Go writes them', () => {
    const read = (text: string) =>
      readConfig(workersConfig, { IRONIC_ENDPOINT: 'http://ironic:6385/v1/', IRONIC_CLIENT_TIMEOUT: text })
        .IRONIC_CLIENT_TIMEOUT;
    expect(read('1m30s')).toBe(90_000);
    for (const bad of ['0', '-1s', '30', 'soon']) {
      expect(() => read(bad)).toThrow('IRONIC_CLIENT_TIMEOUT: must be a duration such as 30s, more than 0');
    }
  });
  test.each([
    ['a ramdisk without a kernel', workersConfig, { DEPLOY_RAMDISK_URL: 'http://r' }, 'DEPLOY_RAMDISK_URL: requires '],
    ['a ramdisk without a kernel', bridgeConfig, { DEPLOY_RAMDISK_URL: 'http://r' }, 'DEPLOY_RAMDISK_URL: requires '],
    [
      'a ramdisk without a kernel, also where ramdisks are built',
      bridgeConfig,
      { DEPLOY_RAMDISK_URL: 'http://r', BUILD_PREPROV_IMAGE: 'true' },
      'DEPLOY_RAMDISK_URL: requires ',
    ],
    ['a kernel without a ramdisk', bridgeConfig, { DEPLOY_KERNEL_URL: 'http://k' }, 'DEPLOY_KERNEL_URL: requires '],
  ])('refuses %s', (_, schema, env, problem) => {
    const problems = () => readConfig(schema, { ...env, IRONIC_ENDPOINT: 'http://ironic:6385/v1/' });
    expect(problems).toThrow(problem);
  });
  test.each([
    ['a kernel with its ramdisk', { DEPLOY_KERNEL_URL: 'http://k', DEPLOY_RAMDISK_URL: 'http://r' }],
    ['a kernel for ramdisks that are built', { DEPLOY_KERNEL_URL: 'http://k', BUILD_PREPROV_IMAGE: 'true' }],
    ['an ISO alone', { DEPLOY_ISO_URL: 'http://i' }],
    ['anything on the fixture, which boots nothing', { DEPLOY_RAMDISK_URL: 'http://r', PROVISIONER: 'fixture' }],
  ])('takes %s', (_, env) => {
    expect(readConfig(bridgeConfig, env)).toMatchObject({ PROVISIONER: expect.any(String) as unknown });
    expect(readConfig(workersConfig, { ...env, IRONIC_ENDPOINT: 'http://ironic/v1/' })).toMatchObject({
      IRONIC_ENDPOINT: 'http://ironic/v1/',
    });
  });
  test.each([
    [':9440', { hostname: '', port: 9440 }],
    ['0.0.0.0:9440', { hostname: '0.0.0.0', port: 9440 }],
    ['[::]:9440', { hostname: '::', port: 9440 }],
    ['[fd00::1]:9440', { hostname: 'fd00::1', port: 9440 }],
    ['node-1:9440', { hostname: 'node-1', port: 9440 }],
  ])('listens where %s says', (written, address) => {
    expect(readConfig(bridgeConfig, { HEALTH_ADDR: written, METRICS_ADDR: written })).toMatchObject({
      HEALTH_ADDR: address,
      METRICS_ADDR: address,
    });
  });
  test.each(['::1:9440', '[::1]', '[::1:9440', 'node-1'])('refuses %s, where the port is unclear', (written) => {
    expect(() => readConfig(bridgeConfig, { HEALTH_ADDR: written })).toThrow('HEALTH_ADDR: must be host:port');
    expect(() => readConfig(bridgeConfig, { METRICS_ADDR: written })).toThrow('METRICS_ADDR: must be host:port, or 0');
  });
  test.each([
    ['', ''],
    ['[::1]', '::1'],
    ['::1', '::1'],
    ['127.0.0.1', '127.0.0.1'],
  ])('takes %j as the host %j of the webhooks', (written, host) => {
    expect(readConfig(bridgeConfig, { WEBHOOK_HOST: written }).WEBHOOK_HOST).toBe(host);
  });
  test('serves no metrics at the address 0', () => {
    expect(readConfig(bridgeConfig, { METRICS_ADDR: '0' }).METRICS_ADDR).toBeNull();
  });
});

describe('what belongs to the process itself', () => {
  const home = (env: NodeJS.ProcessEnv) => homeNamespace(readConfig(bridgeConfig, env));
  test('lies in the namespace of the pod, else in the one that is watched', () => {
    expect(home({ POD_NAMESPACE: 'here', WATCH_NAMESPACE: 'there' })).toBe('here');
    expect(home({ WATCH_NAMESPACE: 'there' })).toBe('there');
    expect(home({ WATCH_NAMESPACE: 'there, elsewhere' })).toBe('default');
    expect(home({})).toBe('default');
  });
});

describe('the namespaces that are watched', () => {
  test.each([
    ['', []],
    ['metal3', ['metal3']],
    ['metal3,edge, lab,', ['metal3', 'edge', 'lab']],
  ])('given as %j are %j', (given, expected) => {
    expect(watchedNamespaces(readConfig(bridgeConfig, {}, [`-namespace=${given}`]))).toEqual(expected);
  });
});

describe('the number of hosts looked at side by side', () => {
  const concurrency = (env: NodeJS.ProcessEnv, cpus: number) => concurrencyOf(readConfig(bridgeConfig, env), cpus);
  test('follows the CPUs, within bounds', () => {
    expect([1, 2, 5, 8, 64].map((cpus) => concurrency({}, cpus))).toEqual([2, 2, 5, 8, 8]);
  });
  test('is the one of the flag, else the one of the variable, unless that is no number of hosts', () => {
    expect(concurrency({ CONTROLLER_CONCURRENCY: '3', BMO_CONCURRENCY: '7' }, 4)).toBe(3);
    expect(concurrency({ CONTROLLER_CONCURRENCY: '0', BMO_CONCURRENCY: '7' }, 4)).toBe(7);
    expect(concurrency({ BMO_CONCURRENCY: '-7' }, 4)).toBe(4);
  });
});
