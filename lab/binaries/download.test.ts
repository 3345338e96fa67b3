import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Download } from './binary.ts';
import { checksumIn } from './checksum-file.ts';
import { downloadProgram } from './download.ts';

const PROGRAM = Buffer.from('#!/bin/sh\necho a program\n'.repeat(50_000));
const sha256 = (data: Buffer): string => createHash('sha256').update(data).digest('hex');

let folder: string;
let server: Server | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'temper-download-'));
});

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

describe('a download', () => {
  test('that is what was published becomes an executable program', async () => {
    const base = await serve(files({ '/tool': PROGRAM, '/tool.sha256': `${sha256(PROGRAM)}\n` }));

    const program = await get({ url: `${base}/tool`, checksumUrl: `${base}/tool.sha256`, algorithm: 'sha256' });

    expect(readFileSync(program)).toEqual(PROGRAM);
    expect(statSync(program).mode & 0o111).toBe(0o111);
  });

  test('of an archive gives the program within', async () => {
    const archive = tarball('tool-v1/bin/tool', PROGRAM);
    const sums = `${'0'.repeat(64)}  other.tar.gz\n${sha256(archive)}  tool.tar.gz\n`;
    const base = await serve(files({ '/tool.tar.gz': archive, '/SHA256SUMS': sums }));

    const program = await get({
      url: `${base}/tool.tar.gz`,
      checksumUrl: `${base}/SHA256SUMS`,
      algorithm: 'sha256',
      member: 'tool-v1/bin/tool',
    });

    expect(readFileSync(program)).toEqual(PROGRAM);
  });

  test('that is not what was published is refused, and not tried twice', async () => {
    let asked = 0;
    const base = await serve((request, response) => {
      if (request.url === '/tool') asked += 1;
      response.end(request.url === '/tool' ? PROGRAM : 'f'.repeat(64));
    });

    const getting = get({ url: `${base}/tool`, checksumUrl: `${base}/tool.sha256`, algorithm: 'sha256' });

    await expect(getting).rejects.toThrow(`differs from the published file: its sha256 is ${sha256(PROGRAM)}`);
    expect(asked).toBe(1);
  });

  test('that breaks off is begun again', async () => {
    let asked = 0;
    const base = await serve((request, response) => {
      if (request.url !== '/tool') return void response.end(sha256(PROGRAM));
      asked += 1;
      response.writeHead(200, { 'content-length': PROGRAM.length });
      if (asked > 1) return void response.end(PROGRAM);
      return void response.write(PROGRAM.subarray(0, 100_000), () => response.destroy());
    });

    const program = await get({ url: `${base}/tool`, checksumUrl: `${base}/tool.sha256`, algorithm: 'sha256' });

    expect(asked).toBe(2);
    expect(readFileSync(program)).toEqual(PROGRAM);
  });

  test('that always breaks off says how far it came', async () => {
    const base = await serve((request, response) => {
      if (request.url !== '/tool') return void response.end(sha256(PROGRAM));
      response.writeHead(200, { 'content-length': PROGRAM.length });
      return void response.write(PROGRAM.subarray(0, 1_000), () => response.destroy());
    });

    const getting = get({ url: `${base}/tool`, checksumUrl: `${base}/tool.sha256`, algorithm: 'sha256' });

    await expect(getting).rejects.toThrow(/download of .*\/tool broke off after \d+ bytes/);
  });

  test('of a release that does not exist says what the server answered', async () => {
    const base = await serve(files({}));

    const getting = get({ url: `${base}/tool`, checksumUrl: `${base}/tool.sha256`, algorithm: 'sha256' });

    await expect(getting).rejects.toThrow(`${base}/tool.sha256 answered 404`);
  });

  test('from a host that cannot be reached is not tried again in the same run', async () => {
    const unreachable = new Map<string, string>();
    const closed = await closedPort();
    const download = { url: `${closed}/tool`, checksumUrl: `${closed}/tool.sha256`, algorithm: 'sha256' } as const;

    await expect(get(download, unreachable)).rejects.toThrow('is unreachable');
    await expect(get(download, unreachable)).rejects.toThrow('was unreachable a moment ago');
  });
});

describe('a program in a container image', () => {
  const layer = (member: string): Buffer => tarball(member, PROGRAM);
  const named = (content: Buffer): string => `sha256:${sha256(content)}`;
  const image = (parts: readonly Buffer[], manifest = Buffer.from(JSON.stringify({ layers: parts.map(layerOf) }))) => {
    const index = { manifests: [{ digest: named(manifest), platform: { os: 'linux', architecture: 'amd64' } }] };
    return {
      '/v2/tools/tool/manifests/v1': JSON.stringify(index),
      [`/v2/tools/tool/manifests/${named(manifest)}`]: manifest,
      ...Object.fromEntries(parts.map((part) => [`/v2/tools/tool/blobs/${named(part)}`, part])),
    };
  };
  const layerOf = (part: Buffer): object => ({ digest: named(part) });
  const wanted = (registry: string, arch = 'amd64'): Download => {
    const platform = { os: 'linux', arch };
    return { registry, repository: 'tools/tool', tag: 'v1', platform, member: 'manager' };
  };

  test('is taken out of the layer that has it', async () => {
    const base = await serve(files(image([layer('etc/passwd'), layer('manager')])));

    const program = await get(wanted(base));

    expect(readFileSync(program)).toEqual(PROGRAM);
    expect(statSync(program).mode & 0o111).toBe(0o111);
  });

  test('is refused when a layer is not the one that is named', async () => {
    const [good, bad] = [layer('manager'), layer('other')];
    const base = await serve(files({ ...image([good]), [`/v2/tools/tool/blobs/${named(good)}`]: bad }));

    await expect(get(wanted(base))).rejects.toThrow(`differs from the published file: its sha256 is ${sha256(bad)}`);
  });

  test('that does not exist for this platform says so', async () => {
    const base = await serve(files(image([layer('manager')])));

    await expect(get(wanted(base, 'arm64'))).rejects.toThrow('tools/tool:v1 does not exist for linux/arm64');
  });

  test('that has no such file says so', async () => {
    const base = await serve(files(image([layer('etc/passwd')])));

    await expect(get(wanted(base))).rejects.toThrow('there is no manager in tools/tool:v1');
  });
});

describe('a checksum file', () => {
  const digest = 'ab'.repeat(32);

  test('may hold nothing but the digest', () => expect(checksumIn(`${digest}\n`, 'tool')).toBe(digest));
  test('may list many files', () => expect(checksumIn(`${'0'.repeat(64)}  a\n${digest} *tool\n`, 'tool')).toBe(digest));
  test('without the file says nothing about it', () => expect(checksumIn(`${digest}  a\n`, 'tool')).toBeUndefined());
  test('may be what GitHub tells of a release', () => {
    const assets = [
      { name: 'old' },
      { name: 'other', digest: `sha256:${'0'.repeat(64)}` },
      { name: 'tool', digest: `sha256:${digest}` },
    ];
    expect([checksumIn(JSON.stringify({ assets }), 'tool'), checksumIn(JSON.stringify({ assets }), 'old')]).toEqual([
      digest,
      undefined,
    ]);
  });
  test('that is a page of errors says nothing', () => expect(checksumIn('<html>\n', 'tool')).toBeUndefined());
});

const get = (download: Download, unreachable = new Map<string, string>()): Promise<string> =>
  downloadProgram(download, folder, { unreachable, connectTimeoutMs: 1_000 }, () => undefined);

async function serve(listener: RequestListener): Promise<string> {
  const listening = createServer(listener);
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}

async function closedPort(): Promise<string> {
  const url = await serve(() => undefined);
  await new Promise((resolve) => server?.close(resolve));
  return url;
}

function files(content: Readonly<Record<string, Buffer | string>>): RequestListener {
  return (request, response) => {
    const body = content[request.url ?? ''];
    response.statusCode = body === undefined ? 404 : 200;
    response.end(body);
  };
}

function tarball(member: string, content: Buffer): Buffer {
  const source = join(folder, 'source');
  mkdirSync(join(source, member, '..'), { recursive: true });
  writeFileSync(join(source, member), content);
  return execFileSync('tar', ['-czf', '-', '-C', source, member], { maxBuffer: 1 << 26 });
}
