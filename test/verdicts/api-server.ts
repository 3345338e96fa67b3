import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { Agent, request } from 'undici';

export interface Answer {
  readonly code: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly warnings: readonly string[];
}

/** A client of the API server in plain JSON: typed clients drop unknown fields, on which verdicts depend. */
export interface ApiServer {
  send(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, body?: string): Promise<Answer>;
  close(): Promise<void>;
}

export async function connect(kubeconfig: string): Promise<ApiServer> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const { ca, cert, key }: RequestOptions = await tlsOf(config);
  const agent = new Agent({ connect: { ca, cert, key } as Agent.Options['connect'] & object, connections: 16 });
  const server = config.getCurrentCluster()?.server ?? '';
  return {
    send: async (method, path, body) => {
      const contentType = method === 'PATCH' ? 'application/apply-patch+yaml' : 'application/json';
      const options = { method, headers: { 'content-type': contentType }, dispatcher: agent };
      const response = await request(`${server}${path}`, body === undefined ? options : { ...options, body });
      return {
        code: response.statusCode,
        body: (await response.body.json()) as Answer['body'],
        warnings: warningsOf(response.headers['warning']),
      };
    },
    close: () => agent.close(),
  };
}

async function tlsOf(config: KubeConfig): Promise<RequestOptions> {
  const options: RequestOptions = {};
  await config.applyToHTTPSOptions(options);
  return options;
}

/** Warnings come as `299 - "text"`, several of them in one header. */
function warningsOf(header: string | string[] | undefined): readonly string[] {
  const text = [header ?? []].flat().join(', ');
  return [...text.matchAll(/299 - "((?:[^"\\]|\\.)*)"/g)].map(([, warning = '']) => warning.replaceAll('\\"', '"'));
}
