import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { connectKubeconfig, type Kube } from '../../kube/client.ts';

/** A server that answers as an API server with these objects, and remembers the patches that it was sent. */
export interface ApiServerOf {
  readonly kube: Kube;
  readonly patches: readonly unknown[];
  close(): Promise<void>;
}

/** Objects by their path. A patch changes nothing; its answer is the object. */
export async function apiServerOf(objects: Readonly<Record<string, object>>): Promise<ApiServerOf> {
  const patches: unknown[] = [];
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '', 'http://localhost');
    const object = objects[pathname];
    const answer = (): void => {
      const missing = { kind: 'Status', reason: 'NotFound', message: `${pathname} not found`, details: { name: 'x' } };
      response.writeHead(object === undefined ? 404 : 200).end(JSON.stringify(object ?? missing));
    };
    if (request.method !== 'PATCH') return answer();
    void json(request).then((patch) => {
      patches.push(patch);
      answer();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const kube = connectKubeconfig(
    JSON.stringify({
      clusters: [{ name: 'a', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'a', user: {} }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      'current-context': 'a',
    }),
  );
  return {
    kube,
    patches,
    async close() {
      await kube.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
