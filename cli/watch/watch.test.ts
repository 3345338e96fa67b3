import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Kube } from '../../kube/client.ts';
import { kubeconfigOf, kubeOf } from '../../test/builders/kube-of.ts';
import { watchRequest } from './options.ts';
import { watchObjects } from './watch.ts';

/** An API server with these hosts and nothing else. */
let hosts: readonly object[];
let refusal: { readonly status: number; readonly message: string } | undefined;
let asked: string[];
let watches: { readonly path: string; readonly response: ServerResponse }[];
let server: Server;
let kube: Kube;
let lines: string[];
let asides: string[];
let stop: AbortController;
beforeEach(async () => {
  [hosts, refusal, asked, watches, lines, asides, stop] = [[], undefined, [], [], [], [], new AbortController()];
  server = createServer(({ url = '' }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://server');
    const selector = searchParams.get('fieldSelector') ?? searchParams.get('labelSelector') ?? 'all';
    response.setHeader('content-type', 'application/json');
    if (refusal !== undefined) {
      const { status, message } = refusal;
      return void response.writeHead(status).end(JSON.stringify({ message, reason: 'Forbidden' }));
    }
    if (searchParams.get('watch') === 'true') {
      watches.push({ path: pathname, response });
      response.flushHeaders();
      return;
    }
    asked.push(`${pathname.split('/').at(-1) ?? ''} ${selector}`);
    const items = pathname.endsWith('/baremetalhosts') ? hosts : [];
    response.end(JSON.stringify({ metadata: { resourceVersion: '1' }, items }));
  });
  kube = await kubeOf(server);
});
afterEach(async () => {
  stop.abort();
  await kube.close();
  server.closeAllConnections();
  server.close();
});

const host = (version: number, state: string, status: object = {}, name = 'node-1') => ({
  metadata: { name, namespace: 'metal', uid: name, resourceVersion: String(version) },
  status: { operationalStatus: 'OK', provisioning: { state }, ...status },
});
const inspecting = (version: number, more: object = {}) =>
  host(version, 'inspecting', { operationHistory: { inspect: { start: '2026-01-01T11:50:00Z', end: null } }, ...more });
const FAILED = { operationalStatus: 'error', errorType: 'inspection error', errorMessage: 'timeout\nof the agent' };

const watching = (line: string): Promise<number> => {
  const request = watchRequest(line.split(' '));
  if (request === undefined) throw new Error('the line is wrong');
  const out = { line: (text: string) => void lines.push(text), aside: (text: string) => void asides.push(text) };
  return watchObjects(request, { kube, out, now: () => Date.parse('2026-01-01T12:00:00Z'), ended: stop.signal });
};
/** To all watches of hosts. */
const send = (type: string, object: object): void => {
  for (const { path, response } of watches)
    if (path.endsWith('/baremetalhosts')) response.write(`${JSON.stringify({ type, object })}\n`);
};
const watched = (count: number) => expect.poll(() => watches.length).toBe(count);

describe('a watch', () => {
  test('prints a line for each object as it is, then one for each change of what it shows, until it is ended', async () => {
    hosts = [inspecting(1)];
    const code = watching('host -n metal');
    await watched(1);
    send('MODIFIED', inspecting(2, { lastUpdated: '2026-01-01T11:59:00Z' }));
    send('MODIFIED', inspecting(3, FAILED));
    send('ADDED', host(4, '', {}, 'node-2'));
    send('MODIFIED', host(5, 'available'));
    send('DELETED', host(6, 'available'));
    await expect.poll(() => lines.length).toBe(5);
    expect(lines).toEqual([
      '2026-01-01T12:00:00Z  BareMetalHost metal/node-1  inspecting, since 2026-01-01T11:50:00Z',
      '2026-01-01T12:00:00Z  BareMetalHost metal/node-1  inspecting, error, since 2026-01-01T11:50:00Z  inspection error: timeout of the agent',
      '2026-01-01T12:00:00Z  BareMetalHost metal/node-2  new',
      '2026-01-01T12:00:00Z  BareMetalHost metal/node-1  available',
      '2026-01-01T12:00:00Z  BareMetalHost metal/node-1  gone  deleted, or no longer selected',
    ]);
    stop.abort();
    expect(await code).toBe(0);
    expect([asked, asides]).toEqual([['baremetalhosts all'], []]);
  });

  test('of all namespaces names that of each object', async () => {
    hosts = [
      inspecting(1),
      { ...host(2, 'available'), metadata: { ...host(2, '').metadata, namespace: 'other', uid: 'u' } },
    ];
    void watching('host -A');
    await watched(1);
    expect(watches.map(({ path }) => path)).toEqual(['/apis/metal3.io/v1alpha1/baremetalhosts']);
    expect(lines.map((line) => line.split('  ')[1])).toEqual([
      'BareMetalHost metal/node-1',
      'BareMetalHost other/node-1',
    ]);
  });

  test('prints a line of JSON for programs', async () => {
    hosts = [inspecting(1, FAILED)];
    void watching('host -n metal -o json');
    await expect.poll(() => lines.length).toBe(1);
    expect(JSON.parse(lines[0] ?? '')).toEqual({
      at: '2026-01-01T12:00:00Z',
      kind: 'BareMetalHost',
      namespace: 'metal',
      name: 'node-1',
      state: 'inspecting, error',
      reason: 'inspection error',
      message: 'timeout\nof the agent',
      since: '2026-01-01T11:50:00Z',
    });
  });

  test('asks the API server for what is watched alone', async () => {
    void watching('machine worker-1 worker-2 worker-1 -n metal');
    await watched(2);
    expect(asked.splice(0).toSorted()).toEqual([
      'metal3machines metadata.name=worker-1',
      'metal3machines metadata.name=worker-2',
    ]);
    expect(asides.toSorted()[0]).toBe('temper: there is no Metal3Machine metal/worker-1 yet: waits for it');

    void watching('cluster prod -n metal');
    await watched(5);
    expect(asked.splice(0).toSorted()).toEqual([
      'baremetalhosts cluster.x-k8s.io/cluster-name in (prod)',
      'clusters metadata.name=prod',
      'metal3machines cluster.x-k8s.io/cluster-name in (prod)',
    ]);

    void watching('host -l rack=r1 -n metal');
    await watched(6);
    expect(asked).toEqual(['baremetalhosts rack=r1']);
  });

  test('goes on, and says so, when the connection breaks', async () => {
    hosts = [inspecting(1)];
    void watching('host -n metal');
    await watched(1);
    send('MODIFIED', inspecting(2));
    watches.splice(0).forEach(({ response }) => void response.destroy());
    hosts = [host(3, 'available')];
    await watched(1);
    send('MODIFIED', host(4, 'available'));
    await expect.poll(() => lines.length).toBe(2);
    expect(asides[0]).toMatch(/^temper: the watch of baremetalhosts is interrupted and goes on: GET /);
  });

  test.each([
    [403, 'baremetalhosts is forbidden: ada cannot watch'],
    [404, 'the server could not find the requested resource'],
    [400, 'unable to parse requirement'],
    [401, 'Unauthorized'],
  ])('ends with an error when the API server says no: %d', async (status, message) => {
    refusal = { status, message };
    expect(await watching('host -n metal')).toBe(1);
    expect(asides.at(-1)).toBe(
      `temper: cannot watch: GET /apis/metal3.io/v1alpha1/namespaces/metal/baremetalhosts: ${status} ${message}`,
    );
  });

  test('ends with an error when the API server cannot be reached', async () => {
    server.close();
    expect(await watching('host -n metal')).toBe(3);
    expect(asides).toEqual([expect.stringContaining('ECONNREFUSED')]);
  });
});

describe('the command', () => {
  let folder: string;
  const start = (args: readonly string[]) =>
    execa(process.execPath, ['cli/main.ts', 'watch', ...args], {
      reject: false,
      env: { KUBECONFIG: join(folder, 'kubeconfig') },
    });
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'temper-watch-'));
    await writeFile(join(folder, 'kubeconfig'), kubeconfigOf(server));
  });
  afterEach(() => rm(folder, { recursive: true }));

  test('ends with 0 on SIGINT', async () => {
    hosts = [inspecting(1)];
    const command = start(['-n', 'metal']);
    await once(command.stdout, 'data');
    command.kill('SIGINT');
    const { exitCode, stdout, stderr } = await command;
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/BareMetalHost metal\/node-1 {2}inspecting, since 2026-01-01T11:50:00Z$/);
  });

  test('ends with an error when the API server says no', async () => {
    refusal = { status: 403, message: 'ada cannot watch' };
    expect(await start(['host', 'node-1'])).toMatchObject({
      exitCode: 1,
      stderr: expect.stringMatching(/^temper: cannot watch: GET .*: 403 ada cannot watch$/) as string,
    });
  });
});
