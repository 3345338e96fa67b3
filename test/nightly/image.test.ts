import { chmod, chown, copyFile, mkdtemp, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { thisPlatform } from '../../lab/binaries/resolve.ts';
import { openLayout } from '../builders/oci-layout.ts';
import { aFixtureLab, fixtureHost, fixtureSecret, IMAGE, type TestFixtureLab } from '../e2e/support/fixture.ts';
import { apply, hostIn } from '../e2e/support/hosts.ts';

/** The user of the image. Only root can become another one. */
const USER = process.getuid?.() === 0 ? { uid: 65_532, gid: 65_532 } : {};
const ELF_MACHINES = { amd64: 0x3e, arm64: 0xb7 } as const;

let folder: string;
let layout: Awaited<ReturnType<typeof openLayout>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'temper-image-'));
  // Another user reads the programs in it.
  await chmod(folder, 0o755);
  const given = ['--name', 'registry.example.com/temper:1', '--folder', join(folder, 'layout')];
  await execa('npm', ['run', 'image', '--silent', '--', ...given], { stdio: 'inherit' });
  layout = await openLayout(join(folder, 'layout'));
  for (const architecture of ['amd64', 'arm64']) await layout.unpack(architecture, join(folder, architecture));
});
afterAll(async () => {
  // Folders without the right to write cannot be emptied.
  await execa('chmod', ['-R', 'u+w', folder]);
  await rm(folder, { recursive: true });
});

const treeOf = (architecture: string): string => join(folder, architecture, 'opt', 'temper');

async function nativeModules(architecture: string): Promise<readonly string[]> {
  const files = await readdir(treeOf(architecture), { recursive: true });
  return files.filter((file) => file.endsWith('.node'));
}

/** The kind of CPU for which a program or library was built. */
async function machineOf(file: string): Promise<number> {
  const opened = await open(file);
  try {
    const { buffer } = await opened.read(Buffer.alloc(20), 0, 20, 0);
    return buffer.readUInt16LE(18);
  } finally {
    await opened.close();
  }
}

describe.each(['amd64', 'arm64'] as const)('the image for %s', (architecture) => {
  test('has native modules of its own architecture only', async () => {
    const modules = await nativeModules(architecture);
    expect(modules.length).toBeGreaterThan(0);
    for (const file of modules)
      expect(await machineOf(join(treeOf(architecture), file))).toBe(ELF_MACHINES[architecture]);
  });

  test('has no packages and files of development, and a bill of materials of those that it has', async () => {
    const image = layout.images.find(({ platform }) => platform.architecture === architecture);
    const { components } = z
      .object({ components: z.array(z.object({ name: z.string(), version: z.string() })) })
      .parse(JSON.parse(image?.sbom ?? ''));
    const listed = new Set(components.map(({ name }) => name));
    const installed = (await readdir(join(treeOf(architecture), 'node_modules'))).filter((name) => !/^[.@]/.test(name));
    expect(installed.filter((name) => !listed.has(name))).toEqual([]);
    for (const name of ['vitest', 'typescript', 'listr2', 'node', '@temporalio/testing'])
      expect(listed).not.toContain(name);
    const files = await readdir(treeOf(architecture), { recursive: true });
    expect(files.filter((file) => file.endsWith('.test.ts') && !file.startsWith('node_modules'))).toEqual([]);
    expect(await readFile(join(treeOf(architecture), 'sbom.cdx.json'), 'utf8')).toBe(image?.sbom);
  });
});

describe('what is in the image', () => {
  const own = thisPlatform().arch;
  let lab: TestFixtureLab;
  const logs = new Map<string, string>();
  const stop: (() => Promise<unknown>)[] = [];

  /** As a Pod runs it: another user, nothing can be written, no temporary folder. */
  async function run(program: string, env: Readonly<Record<string, string>>): Promise<void> {
    const image = layout.images.find(({ platform }) => platform.architecture === own);
    const { Cmd: command } = z.object({ Cmd: z.array(z.string()) }).parse(image?.config.config);
    const kubeconfig = join(folder, `${program.split('/')[0]}.kubeconfig`);
    await copyFile(lab.endpoints.kubeconfig, kubeconfig);
    if (USER.uid !== undefined) await chown(kubeconfig, USER.uid, USER.gid);
    // The base image, which has Node, is not in the layout.
    const node = join(folder, 'node');
    const child = execa(node, [...command.slice(1, -1), program], {
      ...USER,
      cwd: treeOf(own),
      env: {
        PATH: '/usr/bin:/bin',
        TMPDIR: '/nonexistent',
        KUBECONFIG: kubeconfig,
        TEMPORAL_ADDRESS: lab.endpoints.temporalAddress,
        TEMPORAL_NAMESPACE: lab.endpoints.temporalNamespace,
        PROVISIONER: 'fixture',
        WEBHOOK_PORT: '0',
        METRICS_ADDR: '127.0.0.1:0',
        HEALTH_ADDR: '127.0.0.1:0',
        ...env,
      },
      extendEnv: false,
      reject: false,
      all: true,
    });
    child.all.on('data', (chunk: Buffer) => logs.set(program, (logs.get(program) ?? '') + chunk.toString()));
    stop.push(async () => {
      child.kill('SIGTERM');
      expect((await child).exitCode).toBe(0);
    });
  }

  beforeAll(async () => {
    await copyFile(process.execPath, join(folder, 'node'));
    await execa('chmod', ['-R', 'a-w', join(folder, own)]);
    lab = await aFixtureLab({ temper: false });
  });
  afterAll(() => lab?.stop());

  test('provisions a host, without a right to write anything', async () => {
    await run('workers/main.ts', {});
    await run('k8s-bridge/main.ts', {});
    await apply(lab, fixtureSecret('imaged'), fixtureHost('imaged', { image: IMAGE }));
    await hostIn(lab, 'imaged', 'provisioned');
    for (const each of stop) await each();
  });

  test('is the workflow code whose id the image names', () => {
    const [, id] = /"buildId":"([0-9a-f]{16})"/.exec(logs.get('workers/main.ts') ?? '') ?? [];
    const ids = new Set(layout.images.map(({ annotations }) => annotations['temper.workflows/build-id']));
    expect([...ids]).toEqual([id]);
  });
});
