import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { kubeconfigOf, kubeOf } from '../test/builders/kube-of.ts';
import { connectConfiguredKube } from './configured.ts';

test('an urgent request is sent while others wait for the rate limit', async () => {
  const arrived: string[] = [];
  const server = createServer(({ url = '' }, response) => {
    arrived.push(url);
    response.end('{}');
  });
  const plain = await kubeOf(server);
  const folder = await mkdtemp(join(tmpdir(), 'configured-'));
  const KUBECONFIG = join(folder, 'kubeconfig');
  await writeFile(KUBECONFIG, kubeconfigOf(server));
  const api = connectConfiguredKube({ KUBECONFIG, KUBE_API_QPS: 1, KUBE_API_BURST: 1, NO_PROXY: '' }, () => undefined);
  try {
    await api.urgent.request({ path: '/first' });
    const waiting = api.kube.request({ path: '/waits' });
    await api.urgent.request({ path: '/urgent' });
    await waiting;
    expect(arrived).toEqual(['/first', '/urgent', '/waits']);
  } finally {
    await Promise.all([api.close(), plain.close()]);
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  }
});
