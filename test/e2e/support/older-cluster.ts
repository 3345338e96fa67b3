import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Kube, KubeError } from '../../../kube/client.ts';
import { createAuthority, DAY_MS, issueCertificate } from '../../../platform/tls/certificates.ts';
import type { Passage } from './kill-points/gate.ts';

/** An API server before the lab's own, as that of a workload cluster. */
export interface WorkloadServer {
  readonly kubeconfig: string;
  close(): Promise<void>;
}

export interface WorkloadServerOptions {
  /** The minor version that it reports; absent: the real one. */
  readonly minor?: string;
  /** Writes are those of workers. */
  readonly passage?: Passage;
}

/** Opens an API server that reports Kubernetes 1.27. */
export const openOlderCluster = (kube: Kube, passage?: Passage): Promise<WorkloadServer> =>
  openWorkloadServer(kube, { minor: '27', ...(passage && { passage }) });

export async function openWorkloadServer(
  kube: Kube,
  { minor, passage }: WorkloadServerOptions,
): Promise<WorkloadServer> {
  const ca = await createAuthority('CN=ca', DAY_MS);
  const order = { subject: 'CN=older', lifetimeMs: DAY_MS, usages: ['serverAuth'], names: ['older.test'] } as const;
  const serving = await issueCertificate(ca, order);
  const server = createServer({ cert: serving.cert, key: serving.key }, (request, response) => {
    const { pathname } = new URL(request.url ?? '', 'https://older.test');
    if (pathname === '/version' && minor !== undefined) return answer(response, 200, { major: '1', minor });
    void pass(kube, passage, request, response);
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

async function pass(
  kube: Kube,
  passage: Passage | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname: path, searchParams } = new URL(request.url ?? '', 'https://older.test');
  const method = request.method as 'GET' | 'PATCH' | 'DELETE';
  const body = method === 'GET' ? undefined : await json(request);
  const gate = method === 'GET' ? undefined : passage;
  const write = { sender: 'workers', method, path, body } as const;
  // Behaves as when the server ends.
  if (gate && !(await gate.before(write))) return void request.socket.destroy();
  const contentType = request.headers['content-type'] ?? 'application/json';
  const query = Object.fromEntries(searchParams);
  const { status, object } = await kube
    .request({ method, path, query, contentType, ...(body !== undefined && { body }) })
    .then(
      (found) => ({ status: 200, object: found as object }),
      (error: KubeError) => ({
        status: error.status || 503,
        object: { kind: 'Status', reason: error.reason, message: error.words, details: { name: error.object } },
      }),
    );
  if (gate && !(await gate.after(write, status))) return void request.socket.destroy();
  answer(response, status, object);
}

function answer(response: ServerResponse, status: number, object: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(object));
}
