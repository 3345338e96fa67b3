import type { Server as HttpServer, IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createWorkloadClusters, type WorkloadProxies } from '../../activities/workload/clusters.ts';
import type { AnswerLimits } from '../../kube/access.ts';
import { connectKubeconfig } from '../../kube/client.ts';
import { createAuthority, DAY_MS, issueCertificate, type KeyPair } from '../../platform/tls/certificates.ts';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

export const base64 = (text: string): string => Buffer.from(text).toString('base64');
export const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

/** API servers of tenants, and the clients that a management cluster with their kubeconfigs has for them. */
export function workloadClusters(defaultLimits: AnswerLimits) {
  let ca: KeyPair;
  let serving: KeyPair;
  let client: KeyPair;
  const closing: (() => Promise<unknown>)[] = [];

  async function listen(server: Server | HttpServer): Promise<number> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    closing.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return (server.address() as AddressInfo).port;
  }

  return {
    begin: async (): Promise<void> => {
      ca = await createAuthority('CN=ca', DAY_MS);
      const order = { subject: 'CN=x', lifetimeMs: DAY_MS } as const;
      serving = await issueCertificate(ca, { ...order, usages: ['serverAuth'], names: ['kubernetes.test'] });
      client = await issueCertificate(ca, { ...order, usages: ['clientAuth'], names: [] });
    },

    /** Closes what a test has opened, the last first. */
    end: async (): Promise<void> => {
      for (const close of closing.splice(0).reverse()) await close();
    },
    closing,

    /** The API server of a tenant, which may answer what it likes. */
    aTenantServer: (answer: Answer): Promise<number> =>
      listen(createServer({ ...serving, ca: ca.cert, requestCert: true, rejectUnauthorized: false }, answer)),

    theKubeconfig: (port: number, change: { readonly cluster?: object; readonly user?: object } = {}) => {
      const cluster = {
        server: `https://127.0.0.1:${port}`,
        'certificate-authority-data': base64(ca.cert),
        'tls-server-name': 'kubernetes.test',
        ...change.cluster,
      };
      const user = {
        'client-certificate-data': base64(client.cert),
        'client-key-data': base64(client.key),
        ...change.user,
      };
      return {
        clusters: [{ name: 'c', cluster }],
        users: [{ name: 'u', user }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      };
    },

    /** The workload clusters of a management cluster whose Secrets have this kubeconfig, as long as there is one. */
    clustersOf: async (
      kubeconfig: () => object | undefined,
      idleMs?: number,
      limits: AnswerLimits | 'usual' = defaultLimits,
      proxies: WorkloadProxies = { NO_PROXY: '', WORKLOAD_CLUSTER_PROXIES: [] },
    ) => {
      const management = await listen(
        createHttpServer((_, response) => {
          const config = kubeconfig();
          if (config === undefined)
            return json(response, 404, { kind: 'Status', reason: 'NotFound', details: { name: 's' } });
          const metadata = { name: 's', namespace: 'metal', resourceVersion: '1' };
          return json(response, 200, { metadata, data: { value: base64(JSON.stringify(config)) } });
        }),
      );
      const server = `http://127.0.0.1:${management}`;
      const kube = connectKubeconfig(
        JSON.stringify({
          clusters: [{ name: 'a', cluster: { server, 'insecure-skip-tls-verify': true } }],
          users: [{ name: 'a', user: {} }],
          contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
          'current-context': 'a',
        }),
      );
      const clusters = createWorkloadClusters(kube, proxies, limits === 'usual' ? undefined : limits, idleMs);
      closing.push(() => kube.close());
      closing.push(() => clusters.close());
      return clusters;
    },
  };
}
