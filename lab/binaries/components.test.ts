import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ClusterApiComponents, clusterApiComponents } from './components.ts';

const FILES = ['bootstrap-components.yaml', 'control-plane-components.yaml', 'core-components.yaml', 'metadata.yaml'];
const contentOf = (file: string): string => `# ${file}\n`;

let folder: string;
let server: Server | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'temper-components-'));
});

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

describe('the manifests of Cluster API', () => {
  test('are those of the release, kept for the next time', async () => {
    const url = await serve((file) => digestOf(contentOf(file)));

    const first = await get({ TEMPER_GITHUB_MIRROR: url, TEMPER_GITHUB_API_MIRROR: url });
    const second = await get();

    expect([first.source, second.source]).toEqual(['download', 'cache']);
    expect(readdirSync(second.folder).sort()).toEqual(FILES);
    expect(FILES.map((file) => readFileSync(join(second.folder, file), 'utf8'))).toEqual(FILES.map(contentOf));
  });

  test('that are not what GitHub says was released are refused, and what else was tried is told', async () => {
    const url = await serve(() => '0'.repeat(64));

    const getting = get({ TEMPER_GITHUB_MIRROR: url, TEMPER_GITHUB_API_MIRROR: url });

    await expect(getting).rejects.toThrow(
      /core-components\.yaml differs from the published file[^]*Go module: Go is not installed[^]*TEMPER_CLUSTER_API_COMPONENTS/,
    );
    expect(readdirSync(join(folder, 'components'))).toEqual([]);
  });

  test('in a folder of the environment have to be there', async () => {
    await expect(get({ TEMPER_CLUSTER_API_COMPONENTS: folder })).rejects.toThrow(
      'which has no core-components.yaml, no bootstrap-components.yaml, no control-plane-components.yaml',
    );
  });
});

/** Has its own cache and PATH: there is no Go, and no installed program is found. */
const get = (env: NodeJS.ProcessEnv = {}): Promise<ClusterApiComponents> =>
  clusterApiComponents({
    env: { PATH: folder, TEMPER_CACHE: folder, TEMPER_GITHUB_API_MIRROR: 'http://127.0.0.1:1', ...env },
    kubectl: () => Promise.reject(new Error('nobody needs kubectl here')),
  });

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

/** A fake GitHub with one release: its files, and its API with their digests. */
async function serve(digest: (file: string) => string): Promise<string> {
  const assets = FILES.map((name) => ({ name, digest: `sha256:${digest(name)}` }));
  const listening = createServer((request, response) => {
    const path = request.url ?? '';
    if (path === '/repos/kubernetes-sigs/cluster-api/releases/tags/v1.14.2') response.end(JSON.stringify({ assets }));
    else response.end(contentOf(path.replace('/kubernetes-sigs/cluster-api/releases/download/v1.14.2/', '')));
  });
  server = listening;
  await new Promise<void>((done) => listening.listen(0, '127.0.0.1', done));
  return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
}
