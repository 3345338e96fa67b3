import { randomBytes } from 'node:crypto';
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { findEngine, thisMachine } from '../../deploy/image/engine.ts';
import { foreignModules } from '../../deploy/image/native-modules.ts';
import { bundleImage } from '../../deploy/image/programs.ts';
import { ARCHITECTURES, type Architecture, SBOM, stage } from '../../deploy/image/stage.ts';
import { messageOf } from '../../domain/message-of.ts';
import { thisPlatform } from '../../lab/binaries/resolve.ts';
import { recordCommands } from '../../scripts/documented/ran.ts';
import { buildIdOf, cachedBundle } from '../../workers/bundle.ts';
import { aFixtureLab, fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from '../e2e/support/fixture.ts';
import { apply, hostIn } from '../e2e/support/hosts.ts';
import { ROOT } from '../e2e/support/start.ts';
import { blockOf } from '../e2e/support/versions/procedure.ts';

/** The image as docs/installation.md builds it, on stand-ins for its base images, which are in registries. */
const PAGE = 'docs/installation.md';
const record = recordCommands('test/nightly/image.test.ts');
const NAME = 'localhost/temper:0.1.0';
const OWN = z.enum(['amd64', 'arm64']).parse(thisPlatform().arch);

const machine = await thisMachine();
const { isRoot } = machine;
const found = await findEngine(machine).then(
  (engine) => ({ engine, reason: undefined }),
  (error: unknown) => ({ engine: undefined, reason: messageOf(error) }),
);
if (found.reason !== undefined) {
  process.stdout.write(`the image is not built: ${found.reason}\n`);
  record.cannotRun('npm run image');
}
/** For podman and buildah where root may not raise limits, and has the first version of control groups: in a container. */
const CONFINED = `[containers]
netns = "host"
default_ulimits = ["nofile=1024:1024", "nproc=1024:1024"]
[engine]
cgroup_manager = "cgroupfs"
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-image-'));
  await chmod(folder, 0o755);
  if (!isRoot) return;
  const { failed } = await execa('runc', ['--version'], { reject: false });
  const file = join(folder, 'containers.conf');
  await writeFile(file, failed ? CONFINED : `${CONFINED}runtime = "runc"\n`);
  process.env['CONTAINERS_CONF'] = file;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const filesIn = (tree: string): Promise<string[]> => readdir(tree, { recursive: true });

const bundleOf = (tree: string): Promise<string> => readFile(join(tree, 'workflow-bundle.js'), 'utf8');
/** The map names the folders of the sources. */
const withoutMap = (code: string): string => code.replace(/\/\/# sourceMappingURL=.*/, '');

const manifestList = z.object({
  manifests: z.array(z.object({ digest: z.string(), platform: z.object({ architecture: z.string() }) })),
});
const bill = z.object({ components: z.array(z.object({ name: z.string(), version: z.string() })) });
const DEVELOPMENT = ['vitest', 'typescript', 'listr2', 'node', '@temporalio/testing'];

/** What our files in the image have in them. */
async function contentsOf(tree: string, architecture: Architecture) {
  const files = await filesIn(tree);
  const { components } = bill.parse(JSON.parse(await readFile(join(tree, SBOM), 'utf8')));
  const listed = components.map(({ name }) => name);
  const installed = (await readdir(join(tree, 'node_modules'))).filter((name) => !/^[.@]/.test(name));
  return {
    hasNativeModules: files.some((file) => file.endsWith('.node')),
    ofOtherArchitectures: await foreignModules(tree, architecture),
    unlistedPackages: installed.filter((name) => !listed.includes(name)),
    ofDevelopment: [
      ...listed.filter((name) => DEVELOPMENT.includes(name)),
      ...files.filter((file) => file.endsWith('.ts') && !file.startsWith('node_modules')),
    ],
  };
}
const EXPECTED = { hasNativeModules: true, ofOtherArchitectures: [], unlistedPackages: [], ofDevelopment: [] };

test.each(ARCHITECTURES)(
  'our part of the image for %s has its own native modules, the packages that its bill of materials lists, and nothing of development',
  async (architecture) => {
    const tree = join(folder, architecture);
    const [bundle, programs] = [join(folder, 'bundle.js'), join(folder, `programs-${architecture}`)];
    await mkdir(tree);
    await writeFile(bundle, (await cachedBundle()).code);
    await bundleImage(programs);
    await stage({ architecture, bundle, programs, folder: tree });
    expect(await contentsOf(tree, architecture)).toEqual(EXPECTED);
  },
);

describe.skipIf(found.engine === undefined)('the image', () => {
  const engine = found.engine ?? 'podman';
  let root: string;
  let tree: string;

  const run = async (...args: readonly string[]): Promise<string> => (await execa(engine, args)).stdout.trim();
  /** The image of an architecture in a list. By the name of the list, podman 4.3 takes that of this computer. */
  async function imageIn(list: string, architecture: Architecture): Promise<string> {
    const { manifests } = manifestList.parse(JSON.parse(await run('manifest', 'inspect', list)));
    const found = manifests.find(({ platform }) => platform.architecture === architecture);
    return `${list.replace(/:[^:/]+$/, '')}@${found?.digest}`;
  }

  /** Copies the files of an image to a folder, and returns it. */
  async function unpack(image: string, architecture: string): Promise<string> {
    const into = join(folder, `root-${architecture}`);
    await mkdir(into);
    const platform = `--platform=linux/${architecture}`;
    if (engine === 'buildah') {
      const container = await run('from', '--pull-never', platform, image);
      await execa('cp', ['--archive', `${await run('mount', container)}/.`, into]);
      await run('rm', container);
    } else {
      const container = await run('create', platform, image);
      const archive = join(folder, 'root.tar');
      await run('export', '--output', archive, container);
      await run('rm', container);
      await execa('tar', ['--extract', '--file', archive, '--directory', into]);
    }
    return into;
  }

  beforeAll(async () => {
    const command = (await blockOf(PAGE, 'npm run image -- --name')).trim();
    const words = [...command.split(' ').slice(1), '--engine', engine, '--stand-in'];
    await execa('npm', words, { cwd: ROOT, stdio: 'inherit' });
    record.ran(command);
    root = await unpack(NAME, OWN);
    tree = join(root, 'opt', 'temper');
  });

  test('has no shell, no npm and no package manager, and no program but Node', async () => {
    const outside = (await filesIn(root)).filter((file) => !file.startsWith('opt/temper'));
    const names = new Set(outside.map((file) => basename(file)));
    for (const name of ['sh', 'bash', 'dash', 'busybox', 'env', 'npm', 'npx', 'corepack', 'apt', 'dpkg'])
      expect(names).not.toContain(name);
    expect(outside.filter((file) => /(?:^|\/)s?bin\//.test(file))).toEqual(['usr/local/bin/node']);
  });

  test('has our part for its architecture, and the workflow bundle of these sources', async () => {
    expect(await contentsOf(tree, OWN)).toEqual(EXPECTED);
    expect(withoutMap(await bundleOf(tree)) === withoutMap((await cachedBundle()).code)).toBe(true);
  });

  // Docker needs another store of images for that.
  test.skipIf(engine === 'docker')('is built for both architectures on one machine', async () => {
    const name = 'localhost/temper-both:0.1.0';
    const both = ARCHITECTURES.flatMap((architecture) => ['--architecture', architecture]);
    const words = ['run', 'image', '--', '--name', name, '--engine', engine, '--stand-in', ...both];
    await execa('npm', words, { cwd: ROOT, stdio: 'inherit' });
    const [other = OWN] = ARCHITECTURES.filter((architecture) => architecture !== OWN);
    const files = await unpack(await imageIn(name, other), other);
    expect(await contentsOf(join(files, 'opt', 'temper'), other)).toEqual(EXPECTED);
  });

  describe.skipIf(engine === 'buildah')('in containers', () => {
    let lab: TestFixtureLab;
    const logs = new Map<string, string>();
    const stop: (() => Promise<unknown>)[] = [];
    beforeAll(async () => {
      lab = await aFixtureLab({ temper: false });
      await copyFile(lab.endpoints.kubeconfig, join(folder, 'kubeconfig'));
      await chmod(join(folder, 'kubeconfig'), 0o644);
    });
    afterAll(() => lab?.stop());

    /** As a Pod runs it: its user, without capabilities, nothing can be written. */
    function run(program: string): void {
      const name = `temper-${randomBytes(4).toString('hex')}`;
      const env = {
        KUBECONFIG: '/etc/temper/kubeconfig',
        TEMPORAL_ADDRESS: lab.endpoints.temporalAddress,
        TEMPORAL_NAMESPACE: lab.endpoints.temporalNamespace,
        PROVISIONER: 'fixture',
        WEBHOOK_PORT: '0',
        METRICS_ADDR: '127.0.0.1:0',
        HEALTH_ADDR: '127.0.0.1:0',
      };
      const args = [
        'run',
        '--rm',
        '--name',
        name,
        '--network=host',
        '--read-only',
        '--cap-drop=all',
        '--security-opt=no-new-privileges',
        `--volume=${join(folder, 'kubeconfig')}:/etc/temper/kubeconfig:ro`,
        ...Object.entries(env).map(([key, value]) => `--env=${key}=${value}`),
        NAME,
      ];
      const command = ['node', '--expose-gc', '--require=./programs/preload.js', program];
      const child = execa(engine, [...args, ...command], { reject: false, all: true });
      child.all.on('data', (chunk: Buffer) => logs.set(program, (logs.get(program) ?? '') + chunk.toString()));
      stop.push(async () => {
        await execa(engine, ['stop', '--time', '60', name]);
        expect((await child).exitCode).toBe(0);
      });
    }

    test('provision a host, as the user of the image, without a right to write anything', async () => {
      run('programs/workers.js');
      run('programs/bridge.js');
      await apply(lab, fixtureSecret('imaged'), fixtureHost('imaged', { image: IMAGE }));
      await hostIn(lab, 'imaged', 'provisioned');
      for (const each of stop) await each();
      const [, id] = /"buildId":"([0-9a-f]{16})"/.exec(logs.get('programs/workers.js') ?? '') ?? [];
      expect(id).toBe(buildIdOf({ code: await bundleOf(tree) }));
    });
  });
});
