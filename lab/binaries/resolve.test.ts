import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BinaryName } from './binary.ts';
import { createResolver, type ResolvedBinary, thisPlatform } from './resolve.ts';

const { os, arch } = thisPlatform();
const RELEASE = `/v1.34.4/bin/${os}/${arch}/kubectl`;

/** A fake kubectl: prints its version like kubectl. */
const kubectl = (version: string): string => `#!/bin/sh\necho '{ "gitVersion": "v${version}" }'\n`;

let folder: string;
let mirror: Server | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'temper-resolve-'));
});

afterEach(() => {
  mirror?.closeAllConnections();
  mirror?.close();
  mirror = undefined;
  rmSync(folder, { recursive: true, force: true });
});

describe('a program', () => {
  test('named in the environment is taken whatever its version', async () => {
    const path = program('mine', '1.2.3');
    program('bin/kubectl', '1.34.0');

    const found = await resolve({ TEMPER_KUBECTL: path });

    expect(found).toEqual({ name: 'kubectl', path, version: '1.2.3', source: 'environment' });
  });

  test('named in the environment that does not run is an error, not a reason to take another', async () => {
    program('bin/kubectl', '1.34.0');

    await expect(resolve({ TEMPER_KUBECTL: '/nowhere' })).rejects.toThrow(
      'TEMPER_KUBECTL is /nowhere, which does not run',
    );
  });

  test('in PATH is taken when its version will do', async () => {
    const path = program('bin/kubectl', '1.33.1');

    expect(await resolve()).toEqual({ name: 'kubectl', path, version: '1.33.1', source: 'PATH' });
  });

  test('in PATH that is too old is passed over for the cached one', async () => {
    program('bin/kubectl', '1.20.0');
    const path = program(`cache/bin/kubectl-1.34.4-${os}-${arch}`, '1.34.4');

    expect(await resolve()).toEqual({ name: 'kubectl', path, version: '1.34.4', source: 'cache' });
  });

  test('that is nowhere is downloaded, and cached for the next time', async () => {
    const url = await serve(kubectl('1.34.4'));

    const first = await resolve({ TEMPER_KUBERNETES_MIRROR: url });
    const second = await resolve();

    expect([first.source, second.source]).toEqual(['download', 'cache']);
    expect(readdirSync(join(folder, 'cache', 'bin'))).toEqual([`kubectl-1.34.4-${os}-${arch}`]);
  });

  test('wanted by several at once is downloaded once', async () => {
    const requests: string[] = [];
    const url = await serve(kubectl('1.34.4'), requests);

    const found = await Promise.all([1, 2, 3].map(() => resolve({ TEMPER_KUBERNETES_MIRROR: url })));

    expect(found.map(({ source }) => source).sort()).toEqual(['cache', 'cache', 'download']);
    expect(requests.filter((path) => path === RELEASE)).toHaveLength(1);
  });

  test('that is not what its name says never gets into the cache', async () => {
    const url = await serve(kubectl('9.9.9'));

    await expect(resolve({ TEMPER_KUBERNETES_MIRROR: url })).rejects.toThrow('reports version 9.9.9, not 1.34.4');
    expect(readdirSync(join(folder, 'cache', 'bin'))).toEqual([]);
  });

  test('that cannot be had at all says what was tried and what to do', async () => {
    const failing = resolve({ TEMPER_KUBERNETES_MIRROR: 'http://127.0.0.1:1' });

    await expect(failing).rejects.toThrow(/no source had kubectl 1\.34\.4:\n.*download: 127\.0\.0\.1:1 is unreachable/);
    await expect(failing).rejects.toThrow(/go build: Go is not installed[^]*set TEMPER_KUBECTL/);
  });
});

describe('a program whose release cannot be built', () => {
  const built = (): string => join(folder, 'cache', 'bin', `temporal-1.8.2-${os}-${arch}`);

  test('is built from the modules of another version with the same server, and found again', async () => {
    fakeGo('temporal version 1.8.2 (Server 1.32.0, UI 2.54.1)');

    const first = await resolve({}, 'temporal');
    const second = await resolve({}, 'temporal');

    const found = { name: 'temporal', path: built(), version: '1.8.2' };
    expect([first, second]).toEqual([
      { ...found, source: 'go build' },
      { ...found, source: 'cache' },
    ]);
  });

  test('gives way to the release when both are in the cache', async () => {
    const path = program(`cache/bin/temporal-1.9.1-${os}-${arch}`, '1.9.1');
    program(`cache/bin/temporal-1.8.2-${os}-${arch}`, '1.8.2');

    expect(await resolve({}, 'temporal')).toEqual({ name: 'temporal', path, version: '1.9.1', source: 'cache' });
  });
});

/** Has its own PATH and cache, so that no installed program is found. */
function resolve(env: NodeJS.ProcessEnv = {}, name: BinaryName = 'kubectl'): Promise<ResolvedBinary> {
  const own = {
    PATH: join(folder, 'bin'),
    TEMPER_CACHE: join(folder, 'cache'),
    TEMPER_KUBERNETES_MIRROR: 'http://127.0.0.1:1',
    TEMPER_GITHUB_MIRROR: 'http://127.0.0.1:1',
  };
  return createResolver({ env: { ...own, ...env } })(name);
}

/** A Go whose programs print this text. */
function fakeGo(printed: string): void {
  const go = join(folder, 'bin', 'go');
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const program = `#!/bin/sh\necho "${printed}"\n`;
  writeFileSync(join(folder, 'compiled'), program);
  const build = `while [ "$1" != -o ]; do shift; done\n/bin/cp '${join(folder, 'compiled')}' "$2"`;
  writeFileSync(go, `#!/bin/sh\n[ "$1" = version ] && exit 0\n${build}\n/bin/chmod 755 "$2"\n`);
  chmodSync(go, 0o755);
}

function program(path: string, version: string): string {
  const full = join(folder, path);
  mkdirSync(join(full, '..'), { recursive: true });
  writeFileSync(full, kubectl(version));
  chmodSync(full, 0o755);
  return full;
}

async function serve(content: string, requests: string[] = []): Promise<string> {
  const digest = createHash('sha256').update(content).digest('hex');
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    if (request.url === RELEASE) response.end(content);
    else if (request.url === `${RELEASE}.sha256`) response.end(digest);
    else response.writeHead(404).end();
  });
  mirror = server;
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
