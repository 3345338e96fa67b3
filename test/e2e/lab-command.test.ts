import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createResolver } from '../../lab/binaries/resolve.ts';
import { leftoversOf } from './support/leftovers.ts';

/** `npx temper lab` as a user runs it. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
let dir: string;
let lab: string;
let temporary: string;
let kubectlPath: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'temper-e2e-command-'));
  lab = join(dir, 'lab');
  temporary = join(dir, 'tmp');
  await mkdir(temporary);
  kubectlPath = (await createResolver()('kubectl')).path;
});
afterAll(async () => {
  await temper('reset');
  await rm(dir, { recursive: true, force: true });
});

const temper = (command: string, ...args: readonly string[]) =>
  execa('npx', ['temper', 'lab', command, '--dir', lab, ...args], {
    cwd: ROOT,
    reject: false,
    all: true,
    env: { TMPDIR: temporary, NODE_DISABLE_COMPILE_CACHE: '1' },
  });
const up = () => temper('up', '--hosts', '2', '--ironic-auth', 'http_basic');
const leftovers = () => leftoversOf({ mark: dir, lab, temporary });

const status = z.object({
  state: z.string(),
  supervisorPid: z.number().optional(),
  watchdogPid: z.number().optional(),
  services: z.array(z.object({ name: z.string(), pid: z.number(), isRunning: z.boolean() })),
  endpoints: z.record(z.string(), z.unknown()),
});
/** What the last status told. */
let told: z.infer<typeof status>;
const statusNow = async () => (told = status.parse(JSON.parse((await temper('status', '--output', 'json')).stdout)));
const endpoint = (name: string): string => z.string().parse(told.endpoints[name]);
const kubectl = async (...args: readonly string[]): Promise<string> =>
  (await execa(kubectlPath, ['--kubeconfig', endpoint('kubeconfig'), ...args])).stdout;

/** True while the process exists in the process table. */
const lives = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('npx temper lab', () => {
  test('up leaves a lab running and says where everything is', async () => {
    const { exitCode, all } = await up();
    expect(exitCode, all).toBe(0);
    const { endpoints } = await statusNow();
    for (const name of ['kubeconfig', 'webUi', 'ironic', 'bridge']) expect(all).toContain(endpoints[name]);
  });

  test('status --output json tells every process, endpoint and credential file', async () => {
    const now = await statusNow();
    expect(now.state).toBe('running');
    expect(now.services.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['etcd', 'kube-apiserver', 'kube-controller-manager', 'temporal', 'bridge', 'workers']),
    );
    expect(now.services.filter(({ pid, isRunning }) => !isRunning || !lives(pid))).toEqual([]);
    expect((await fetch(endpoint('webUi'))).status).toBe(200);
    expect(await kubectl('get', 'crd', '-o', 'name')).toContain('baremetalhosts.metal3.io');
  });

  test('Ironic asks for the password in the folder that status names', async () => {
    const url = new URL('nodes', endpoint('ironic'));
    expect((await fetch(url)).status).toBe(401);
    const secrets = join(endpoint('authRootDir'), 'ironic');
    const [user, password] = await Promise.all(
      ['username', 'password'].map((file) => readFile(join(secrets, file), 'utf8')),
    );
    const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    expect((await fetch(url, { headers: { authorization } })).status).toBe(200);
  });

  test('machines lists what a BareMetalHost needs to name one', async () => {
    const { stdout } = await temper('machines', '--output', 'json');
    const [first, ...others] = JSON.parse(stdout) as readonly { readonly bmcAddress: string }[];
    expect(first).toMatchObject({ name: 'lab-0000', bootMACAddress: expect.stringMatching(/^52:54:00:/) as unknown });
    expect(others).toHaveLength(1);
    expect((await fetch(String(first?.bmcAddress.replace('redfish-virtualmedia+', '')))).status).toBe(401);
    expect((await temper('machines')).stdout).toContain(first?.bmcAddress);
  });

  test('npx temper temporal asks the server of the lab', async () => {
    await symlink(lab, join(dir, '.lab'));
    const temporal = [join(ROOT, 'cli', 'main.ts'), 'temporal', 'operator', 'namespace', 'describe', 'default'];
    const { stdout } = await execa(process.execPath, temporal, { cwd: dir });
    expect(stdout).toMatch(/NamespaceInfo.Name\s+default/);
    const wrong = await execa(process.execPath, [...temporal.slice(0, 2), 'nonsense'], { cwd: dir, reject: false });
    expect(wrong.exitCode).not.toBe(0);
    await rm(join(dir, '.lab'));
  });

  test('npx temper version tells the version of each part', async () => {
    const version = [join(ROOT, 'cli', 'main.ts'), 'version', '--dir', lab, '--output', 'json'];
    const { stdout } = await execa(process.execPath, version);
    const parts = JSON.parse(stdout) as readonly { readonly part: string; readonly version?: string }[];
    const versions = Object.fromEntries(parts.map((each) => [each.part, each.version ?? each]));
    expect(versions).toEqual({
      client: versions['client'],
      bridge: versions['client'],
      workers: versions['client'],
      Temporal: expect.stringMatching(/^\d+\.\d+/) as unknown,
      Ironic: expect.stringMatching(/^API 1\.\d+$/) as unknown,
      'API server': expect.stringMatching(/^v1\.\d+/) as unknown,
    });
    for (const [served, program] of [
      ['bridgeMetrics', 'temper-bridge'],
      ['workersMetrics', 'temper-workers'],
    ] as const) {
      const [, ...labels] =
        /^temper_build_info\{program="(.*)",version="(.*)",revision="(.*)",node="(.*)"\} 1$/m.exec(
          await (await fetch(endpoint(served))).text(),
        ) ?? [];
      expect(labels).toEqual([program, ...['', '', ''].map(() => expect.stringMatching(/^\S+$/) as unknown)]);
    }
  });

  test('a second up is refused with a message while the first runs', async () => {
    const { exitCode, all } = await up();
    expect(exitCode).toBe(1);
    expect(all).toContain(String(told.supervisorPid));
  });

  test('killed without a chance to clean up, it leaves nothing behind', async () => {
    await kubectl('create', 'configmap', 'kept');
    const { supervisorPid, watchdogPid } = told;
    if (supervisorPid === undefined || watchdogPid === undefined) throw new Error('the lab has no supervisor');
    process.kill(supervisorPid, 'SIGKILL');
    // The watchdog ends last.
    await expect.poll(() => lives(watchdogPid), { timeout: 60_000 }).toBe(false);
    expect(await leftovers()).toEqual([]);
    expect((await statusNow()).state).toBe('down');
  });

  test('up once more goes on with what the folder holds', async () => {
    const { exitCode, all } = await up();
    expect(exitCode, all).toBe(0);
    await statusNow();
    expect(await kubectl('get', 'configmap', 'kept', '-o', 'name')).toBe('configmap/kept');
  });

  test('down ends it and leaves only its folder, reset leaves nothing', async () => {
    expect((await temper('down')).exitCode).toBe(0);
    expect(await leftovers()).toEqual([]);
    expect((await temper('down')).stdout).toContain('no lab running');
    expect((await temper('reset')).exitCode).toBe(0);
    expect(existsSync(lab)).toBe(false);
  });
});
