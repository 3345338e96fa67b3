import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { UnreachableCluster } from '../../activities/workload/clusters.ts';
import type { Kube } from '../../kube/client.ts';
import { kubeOf } from '../../test/builders/kube-of.ts';
import { visitLabelled } from './labels.ts';

/** The Nodes of a workload cluster, whose API server sends as many as it is asked for. */
let nodes: readonly unknown[];
let asked: { readonly token: string | null; readonly limit: string | null; readonly version: string | null }[];
let server: Server;
let kube: Kube;
beforeEach(async () => {
  asked = [];
  server = createServer((request, response) => {
    const { searchParams: query } = new URL(request.url ?? '', 'http://localhost');
    const [token, limit] = [query.get('continue'), query.get('limit')];
    asked.push({ token, limit, version: query.get('resourceVersion') });
    const [from, count] = [Number(token ?? 0), limit === null ? nodes.length : Number(limit)];
    const items = nodes.slice(from, from + count);
    const next = from + count < nodes.length ? String(from + count) : '';
    response.end(JSON.stringify({ metadata: { continue: next }, items }));
  });
  kube = await kubeOf(server);
});
afterEach(async () => {
  await kube.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const aNode = (name: string, resourceVersion = '7') => ({
  metadata: { name, resourceVersion, labels: { row: name }, annotations: { a: 'b' } },
});
async function visited(): Promise<readonly string[]> {
  const names: string[] = [];
  const visit = visitLabelled({ connect: () => Promise.resolve(kube) });
  const { signal } = new AbortController();
  await visit({ namespace: 'metal', name: 'test1' }, signal, ({ name, labels }) =>
    names.push(name === labels['row'] ? name : 'another'),
  );
  return names;
}

describe('the labels of the Nodes of a workload cluster', () => {
  test('are read with one request when there are up to a hundred Nodes', async () => {
    nodes = Array.from({ length: 100 }, (_, at) => aNode(`n${at}`));
    expect(await visited()).toHaveLength(100);
    // A version would let the API server answer from its cache, with all Nodes at once.
    expect(asked).toEqual([{ token: null, limit: '100', version: null }]);
  });

  test('are read page by page when there are thousands', async () => {
    nodes = Array.from({ length: 5_000 }, (_, at) => aNode(`n${at}`));
    expect(new Set(await visited()).size).toBe(5_000);
    expect(asked.map(({ token }) => token)).toEqual([
      null,
      ...Array.from({ length: 49 }, (_, at) => String(100 * (at + 1))),
    ]);
  });

  test('are not read of odd Nodes', async () => {
    nodes = [7, {}, { metadata: {} }, aNode('long', '1'.repeat(65)), aNode('n1')];
    expect(await visited()).toEqual(['n1']);
  });

  test('are not read any further when there are more Nodes than a cluster can have', async () => {
    nodes = Array.from({ length: 10_001 }, (_, at) => aNode(`n${at}`));
    await expect(visited()).rejects.toThrow(UnreachableCluster);
    expect(asked).toHaveLength(100);
  });
});
