import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import type { Kube } from '../../kube/client.ts';
import { kubeOf } from './kube-of.ts';

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
  const kube = await kubeOf(server);
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
