import { describe, expect, test } from 'vitest';
import { type Build, buildArguments, ENGINES, findEngine, type Machine } from './engine.ts';

const aMachine = (
  has: Partial<Omit<Machine, 'complaint'>> & { readonly engines?: Readonly<Record<string, string>> },
) => {
  const { engines = {}, ...rest } = has;
  const machine: Machine = {
    user: 'ada',
    isRoot: false,
    subordinateIds: ['ada:100000:65536\n', 'grace:1:1\nada:100000:65536\n'],
    complaint: (program, args) => {
      const found = Object.entries(engines).find(([engine]) => program === engine);
      if (found === undefined) return Promise.resolve('is not installed');
      return Promise.resolve(found[1] === args.join(' ') ? undefined : found[1]);
    },
    ...rest,
  };
  return machine;
};

describe('the engine that builds the image', () => {
  test.each([
    ['docker, when its server answers', { docker: 'version', podman: 'info' }, 'docker'],
    ['podman', { docker: 'cannot connect', podman: 'info', buildah: 'info' }, 'podman'],
    ['buildah, alone', { buildah: 'info' }, 'buildah'],
  ])('is %s', async (_, engines, expected) => {
    expect(await findEngine(aMachine({ engines }))).toBe(expected);
  });

  test('is the one that is asked for', async () => {
    const engines = { docker: 'version', buildah: 'info' };
    expect(await findEngine(aMachine({ engines }), ['buildah'])).toBe('buildah');
  });

  test('needs subordinate ids, or root, unless it has a server', async () => {
    const without = { engines: { docker: 'version', podman: 'info' }, subordinateIds: ['ada:1:1\n', ''] };
    expect(await findEngine(aMachine(without))).toBe('docker');
    expect(await findEngine(aMachine({ ...without, isRoot: true }), ['podman'])).toBe('podman');
    await expect(findEngine(aMachine(without), ['podman'])).rejects.toThrow(
      'ada has no subordinate ids in /etc/subuid and /etc/subgid: usermod --add-subuids 100000-165535 --add-subgids 100000-165535 ada, or be root',
    );
  });

  test('is missing with a reason for each', async () => {
    const engines = { docker: 'Cannot connect to the Docker daemon', podman: 'no space left on device' };
    await expect(findEngine(aMachine({ engines }))).rejects.toThrow(
      [
        'no engine can build the image here:',
        '  - docker: Cannot connect to the Docker daemon',
        '  - podman: no space left on device',
        '  - buildah: is not installed',
      ].join('\n'),
    );
  });
});

describe('the arguments of the engine', () => {
  const BUILD: Build = {
    image: 'localhost/temper:1',
    file: 'Dockerfile',
    context: '.',
    architectures: ['amd64'],
    builder: 'amd64',
    bases: { NODE: 'localhost/node' },
    more: ['--network', 'host'],
  };

  test.each(ENGINES)(
    'of %s name the image, its architecture, that of the builder and what it begins with',
    (engine) => {
      const words = buildArguments(engine, BUILD).filter((word) => word !== '--layers');
      // BuildKit knows the builder's by itself.
      const builder = engine === 'docker' ? '' : ' --build-arg BUILDPLATFORM=linux/amd64';
      expect(words.join(' ')).toBe(
        `build --file Dockerfile --platform linux/amd64${builder} --build-arg NODE=localhost/node --tag localhost/temper:1 --network host .`,
      );
    },
  );

  test('have the commit of the files, which the image tells', () => {
    const words = buildArguments('docker', { ...BUILD, revision: '6b2bc657-dirty' }).join(' ');
    expect(words).toContain(' --build-arg NODE=localhost/node --build-arg REVISION=6b2bc657-dirty --tag ');
  });

  test.each([
    ['docker', '--tag'],
    ['podman', '--manifest'],
    ['buildah', '--manifest'],
  ] as const)('of %s give images of several architectures one name with %s', (engine, option) => {
    const args = buildArguments(engine, { ...BUILD, architectures: ['amd64', 'arm64'] });
    expect(args.slice(args.indexOf('--platform'), 5)).toEqual(['--platform', 'linux/amd64,linux/arm64']);
    expect(args[args.indexOf('localhost/temper:1') - 1]).toBe(option);
  });
});
