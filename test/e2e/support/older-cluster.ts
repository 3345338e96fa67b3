import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Kube, KubeError } from '../../../kube/client.ts';
import { createAuthority, DAY_MS, issueCertificate } from '../../../platform/tls/certificates.ts';

export interface OlderCluster {
  readonly kubeconfig: string;
  close(): Promise<void>;
}

/** An API server before the lab's own that says it is of Kubernetes 1.27. */
export async function openOlderCluster(kube: Kube): Promise<OlderCluster> {
  const ca = await createAuthority('CN=ca', DAY_MS);
  const order = { subject: 'CN=older', lifetimeMs: DAY_MS, usages: ['serverAuth'], names: ['older.test'] } as const;
  const serving = await issueCertificate(ca, order);
  const server = createServer({ cert: serving.cert, key: serving.key }, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'https://older.test');
    if (pathname === '/version') return answer(response, 200, { major: '1', minor: '27' });
    const method = request.method as 'GET' | 'PATCH' | 'DELETE';
    const contentType = request.headers['content-type'] ?? 'application/json';
    const forward = async (): Promise<unknown> =>
      kube.request({
        method,
        path: pathname,
        query: Object.fromEntries(searchParams),
        contentType,
        ...(method !== 'GET' && { body: await json(request) }),
      });
    forward().then(
      (object) => answer(response, 200, object),
      (error: unknown) => {
        const { status, reason, words, object } = error as KubeError;
        answer(response, status || 503, { kind: 'Status', reason, message: words, details: { name: object } });
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const cluster = {
    server: `https://127.0.0.1:${port}`,
    'certificate-authority-data': Buffer.from(ca.cert).toString('base64'),
    'tls-server-name': 'older.test',
  };
  return {
    kubeconfig: JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'a', cluster }],
      users: [{ name: 'a', user: { token: 'any' } }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      'current-context': 'a',
    }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function answer(response: ServerResponse, status: number, object: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(object));
}
