import { BOUNDS } from '../../domain/bounds/bounds.ts';
import type { ObjectName } from '../../domain/entity/object-ref.ts';
import type { AnswerLimits } from '../../kube/access.ts';
import { connectFixed, type Kube, KubeError, TOO_LARGE } from '../../kube/client.ts';
import { textOf } from '../../kube/objects/secret.ts';
import type { ProxyConfig } from '../../platform/config/proxy-settings.ts';
import { createKept } from '../../platform/kept.ts';
import { proxyFor } from '../../platform/proxies.ts';
import { readSecret } from '../kubernetes/secrets.ts';
import { RefusedKubeconfig, readKubeconfig } from './kubeconfig.ts';

/** The API servers of workload clusters, each reached with the kubeconfig in the Secret `<cluster>-kubeconfig`. */
export interface WorkloadClusters {
  /** Throws `UnreachableCluster` while there is no kubeconfig that can be used. */
  connect(cluster: ObjectName): Promise<Kube>;
  close(): Promise<void>;
  /** Connections, and refused kubeconfigs, that are kept. */
  readonly size: number;
}

/** The proxies of the environment, and those that a kubeconfig may name. */
export type WorkloadProxies = ProxyConfig & { readonly WORKLOAD_CLUSTER_PROXIES: readonly string[] };

/** The cluster is unreachable at present. The message is the same for as long as the reason is. */
export class UnreachableCluster extends Error {
  override readonly name = 'UnreachableCluster';
}

/** Why an error means that a workload cluster is unreachable; undefined when the error is about the request. */
export function whyUnreachable(error: unknown, { name }: ObjectName): string | undefined {
  if (error instanceof UnreachableCluster) return error.message;
  if (!(error instanceof KubeError)) return undefined;
  if (error.status === 0 && error.reason === TOO_LARGE)
    return `the API server of cluster ${name} answers too much: ${error.words}`;
  if (error.status === 0) return `the API server of cluster ${name} is unreachable`;
  if (error.status === 401 || error.status === 403) return `the API server of cluster ${name} refuses our credentials`;
  if (error.status < 400) return `the API server of cluster ${name} answers with status ${error.status}`;
  return error.status >= 500 ? `the API server of cluster ${name} fails` : undefined;
}

/** What an answer becomes in memory can be fifty times as large as its text. A page of 25 Nodes has up to 1 MiB. */
const LIMITS: AnswerLimits = { answer: BOUNDS.workloadAnswer, pauseMs: 10_000, message: 200 };

interface Connection {
  readonly version: string;
  /** A refusal is kept too: reading a kubeconfig may take a second. */
  readonly result: Kube | UnreachableCluster;
}

/** A connection that was not used for this long is closed: its cluster may be gone. Longer than any request. */
const IDLE_MS = 300_000;

export function createWorkloadClusters(
  management: Kube,
  proxies: WorkloadProxies,
  limits = LIMITS,
  idleMs = IDLE_MS,
): WorkloadClusters {
  const closing = new Set<Promise<void>>();
  const connections = createKept<Connection>(idleMs, ({ result }) => {
    if (result instanceof UnreachableCluster) return;
    const closed = result
      .close()
      .catch(() => undefined)
      .then(() => void closing.delete(closed));
    closing.add(closed);
  });
  return {
    async connect({ namespace, name }) {
      const key = `${namespace}/${name}`;
      const secret = await readSecret(management, { namespace, name: `${name}-kubeconfig` });
      const text = secret && textOf(secret, 'value');
      if (secret === undefined || text === undefined) {
        connections.delete(key);
        const why =
          secret === undefined ? `secrets "${name}-kubeconfig" not found` : 'missing key "value" in secret data';
        throw new UnreachableCluster(
          `error creating a remote client: failed to retrieve kubeconfig secret for Cluster "${name}" in namespace "${namespace}": ${why}`,
        );
      }
      const known = connections.get(key);
      const version = secret.metadata.resourceVersion;
      if (known?.version === version) return used(known.result);
      const result = connect(text, name, proxies, limits);
      connections.put(key, { version, result });
      return used(result);
    },
    async close() {
      connections.clear();
      await Promise.all(closing);
    },
    get size() {
      return connections.size;
    },
  };
}

function connect(text: string, name: string, proxies: WorkloadProxies, limits: AnswerLimits): Connection['result'] {
  try {
    const access = readKubeconfig(text, proxies.WORKLOAD_CLUSTER_PROXIES);
    return connectFixed({ ...access, proxy: access.proxy ?? proxyFor(access.server, proxies) }, limits);
  } catch (error) {
    // Other errors may contain a part of the kubeconfig.
    const why = error instanceof RefusedKubeconfig ? `refused: ${error.message}` : 'invalid';
    return new UnreachableCluster(`the kubeconfig of cluster ${name} is ${why}`);
  }
}

function used(result: Connection['result']): Kube {
  if (result instanceof UnreachableCluster) throw result;
  return result;
}
