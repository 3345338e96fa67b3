import { existsSync, readFileSync } from 'node:fs';
import { compare } from 'bcryptjs';
import { execaSync } from 'execa';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { temporal } from '../lab/control-plane/temporal.ts';
import { bridgeConfig, readConfig, workersConfig } from '../platform/config/config.ts';
import {
  type ComposeService,
  composeText,
  inRepository,
  interpolate,
  readCompose,
  variablesIn,
} from '../test/builders/compose-file.ts';
import { fillIn } from './fill-in.ts';
import { PROGRAMS } from './image/programs.ts';

const compose = readCompose();
const services = Object.entries(compose.services);
const example = readFileSync(inRepository('.env.example'), 'utf8');
const ours = { bridge: bridgeConfig, workers: workersConfig } as const;

/** Needs the compose plugin but no engine; skipped where it is not installed. */
const checkers = ['docker compose'].filter((checker) => {
  const [program = '', ...words] = checker.split(' ');
  return execaSync(program, [...words, 'version'], { reject: false }).exitCode === 0;
});

const serviceOf = (name: string): ComposeService => {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
};
const assignments = (text: string): Record<string, string> =>
  Object.fromEntries([...text.matchAll(/^([A-Z_]+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
const environmentOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(serviceOf(name).environment ?? {}).map(([key, value]) => [
      key,
      interpolate(value, assignments(example)),
    ]),
  );

describe('docker-compose.yml', () => {
  test('uses only variables that .env.example explains, and .env.example has no unused ones', () => {
    const ofSecrets = Object.values(compose.secrets).map((secret) => secret.environment);
    // The password file contains Ironic's user name and password.
    const taken = new Set([...variablesIn(composeText()), ...ofSecrets]);
    expect([...taken].toSorted()).toEqual(Object.keys(assignments(example)).toSorted());
  });

  test('depends on services that exist and that can tell when they are ready', () => {
    const broken = services.flatMap(([name, { depends_on: needs = {} }]) =>
      Object.entries(needs)
        .filter(([other, { condition }]) => {
          const healthcheck = compose.services[other]?.healthcheck;
          return (
            compose.services[other] === undefined || (condition === 'service_healthy' && healthcheck === undefined)
          );
        })
        .map(([other]) => `${name} → ${other}`),
    );
    expect(broken).toEqual([]);
  });

  test('gives each service that others wait for ten minutes to start, and lets nobody wait for Ironic', () => {
    const awaited = services.flatMap(([, { depends_on: needs = {} }]) =>
      Object.entries(needs).flatMap(([other, { condition }]) => (condition === 'service_healthy' ? [other] : [])),
    );
    expect(awaited).toContain('temporal');
    expect(awaited).not.toContain('ironic');
    const times = awaited.map((name) => [name, serviceOf(name).healthcheck?.start_period]);
    expect(times).toEqual(awaited.map((name) => [name, '600s']));
  });

  test('gives the command line of Temporal an address for which gRPC asks DNS for nothing but the address', () => {
    const users = services.filter(
      ([, { image, environment = {} }]) => 'TEMPORAL_ADDRESS' in environment && image.includes('admin-tools'),
    );
    expect(users.map(([, { environment }]) => environment?.['TEMPORAL_ADDRESS'])).toEqual([
      'passthrough:///temporal:7233',
    ]);
  });

  test('sets the number of history shards, which can never be changed', () => {
    expect(serviceOf('temporal').environment).toHaveProperty('NUM_HISTORY_SHARDS', '4');
  });

  test('names no host but its own services', () => {
    const hosts = services.flatMap(([, { environment = {} }]) =>
      Object.entries(environment).flatMap(([key, value]) => {
        const address = /^(?:http:\/\/|passthrough:\/\/\/)?([a-z][a-z0-9.-]*):\d+/.exec(value)?.[1];
        return key === 'POSTGRES_SEEDS' || key === 'MARIADB_HOST' ? [value] : address === undefined ? [] : [address];
      }),
    );
    expect(hosts).toContain('temporal');
    expect(hosts.filter((host) => compose.services[host] === undefined)).toEqual([]);
  });

  test('mounts volumes, secrets and files that there are', () => {
    const broken = services.flatMap(([name, { volumes = [], secrets = [] }]) => [
      ...volumes
        .map((volume) => (typeof volume === 'string' ? (volume.split(':')[0] ?? '') : volume.source))
        .filter((source) => !source.startsWith('${'))
        .filter((source) => (source.startsWith('.') ? !existsSync(inRepository(source)) : !(source in compose.volumes)))
        .map((source) => `${name}: ${source}`),
      ...secrets
        .map((secret) => (typeof secret === 'string' ? secret : secret.source))
        .filter((source) => !(source in compose.secrets))
        .map((source) => `${name}: ${source}`),
    ]);
    expect(broken).toEqual([]);
  });

  test('publishes nothing on all addresses of the machine', () => {
    const open = services.flatMap(([name, { ports = [] }]) =>
      ports
        .filter((port) => !port.startsWith('127.0.0.1:') && !port.startsWith('${IRONIC_IP}:'))
        .map((port) => `${name}: ${port}`),
    );
    expect(open).toEqual([]);
  });

  test.for(Object.keys(ours) as (keyof typeof ours)[])('gives %s settings it knows, and all it needs', (name) => {
    const environment = environmentOf(name);
    expect(Object.keys(environment).filter((key) => !(key in ours[name].shape))).toEqual([]);
    expect(() => readConfig(ours[name], environment)).not.toThrow();
  });

  test.for(Object.keys(ours))('runs %s with a program that the image holds', (name) => {
    const { command = [], build } = serviceOf(name);
    const [program = ''] = command;
    const file = command.at(-1) ?? '';
    expect(build).toBe('.');
    expect(program).toBe('node');
    expect(Object.keys(PROGRAMS).map((each) => `programs/${each}.js`)).toContain(file);
  });

  test('gives Temporal the same dynamic configuration as the lab', () => {
    const { args } = temporal({ binary: '', dir: '', port: 0, uiPort: 0, metricsPort: 0 });
    const inLab = args.flatMap((arg) => {
      const [, key = '', value = ''] = /^--dynamic-config-value=(.+)=(.+)$/.exec(arg) ?? [];
      return key === '' ? [] : [[key, [{ value: JSON.parse(value) as unknown }]] as const];
    });
    expect(inLab.length).toBeGreaterThan(0);
    const file = inRepository('deploy/temporal/dynamic-config.yaml');
    expect(parse(readFileSync(file, 'utf8'))).toEqual(Object.fromEntries(inLab));
    const { environment = {}, volumes = [] } = serviceOf('temporal');
    expect(volumes).toContain('./deploy/temporal:/etc/temporal/temper:ro');
    expect(environment['DYNAMIC_CONFIG_FILE_PATH']).toBe('/etc/temporal/temper/dynamic-config.yaml');
  });

  test.for(checkers)('is accepted by %s, also with deploy/kind.yaml', async (checker) => {
    const [program = '', ...words] = checker.split(' ');
    const env = assignments(await fillIn(example, () => 'secret'));
    const files = ['--file', 'docker-compose.yml', '--file', 'deploy/kind.yaml'];
    const ran = execaSync(program, [...words, ...files, 'config', '--quiet'], {
      cwd: inRepository(''),
      env,
      reject: false,
    });
    expect({ exitCode: ran.exitCode, stderr: ran.stderr }).toEqual({ exitCode: 0, stderr: '' });
  });
});

describe('deploy/kind.yaml', () => {
  test('lets bridge and workers, which need an API server, join the network of kind besides their own', () => {
    const joining = Object.entries(ours).map(([name]) => [name, { networks: ['default', 'kind'] }] as const);
    expect(parse(readFileSync(inRepository('deploy/kind.yaml'), 'utf8'))).toEqual({
      services: Object.fromEntries(joining),
      networks: { kind: { external: true } },
    });
  });
});

describe('.env', () => {
  test('gets every password, and the hash of the one for Ironic', async () => {
    let count = 0;
    const values = assignments(await fillIn(example, () => `password-${(count += 1)}`));
    const { WATCH_NAMESPACE: _, ...wanted } = values;
    expect(Object.entries(wanted).filter(([, value]) => value === '')).toEqual([]);
    const [, user, hash = ''] = /^'(.+?):(.+)'$/.exec(values['IRONIC_HTPASSWD'] ?? '') ?? [];
    expect(user).toBe(values['IRONIC_USERNAME']);
    expect(await compare(values['IRONIC_PASSWORD'] ?? '', hash)).toBe(true);
    expect(count).toBe(3);
  });
});
