import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectKubeconfig, type Kube } from '../../kube/client.ts';

/** A client of a server on loopback that answers as an API server does; the server listens from then on. */
export async function kubeOf(server: Server): Promise<Kube> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return connectKubeconfig(kubeconfigOf(server));
}

/** The kubeconfig of such a server, which listens. */
export function kubeconfigOf(server: Server): string {
  const { port } = server.address() as AddressInfo;
  return JSON.stringify({
    clusters: [{ name: 'a', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'a', user: {} }],
    contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
    'current-context': 'a',
  });
}
