import type { ObjectName } from '../../domain/machine/snapshot.ts';
import { connectKubeconfig, type Kube, KubeError } from '../../kube/client.ts';
import { readSecret, textOf } from '../kubernetes/secrets.ts';

/** The API servers of workload clusters, each reached with the kubeconfig in the Secret `<cluster>-kubeconfig`. */
export interface WorkloadClusters {
  /** Throws `UnreachableCluster` while there is no kubeconfig that can be used. */
  connect(cluster: ObjectName): Promise<Kube>;
  close(): Promise<void>;
}

/** The cluster can't be asked at present: in words, the same for as long as it is so. */
export class UnreachableCluster extends Error {
  override readonly name = 'UnreachableCluster';
}

/** What an error of a workload cluster's API server says about it; undefined when it says something about the request. */
export function whyUnreachable(error: unknown, { name }: ObjectName): string | undefined {
  if (error instanceof UnreachableCluster) return error.message;
  if (!(error instanceof KubeError)) return undefined;
  if (error.status === 0) return `the API server of cluster ${name} can't be reached`;
  if (error.status === 401 || error.status === 403) return `the API server of cluster ${name} does not let us in`;
  return error.status >= 500 ? `the API server of cluster ${name} does not work` : undefined;
}

interface Connection {
  readonly version: string;
  readonly kube: Kube;
}

export function createWorkloadClusters(management: Kube): WorkloadClusters {
  const connections = new Map<string, Connection>();
  return {
    async connect({ namespace, name }) {
      const key = `${namespace}/${name}`;
      const secret = await readSecret(management, { namespace, name: `${name}-kubeconfig` });
      const text = secret && textOf(secret, 'value');
      if (secret === undefined || text === undefined) {
        throw new UnreachableCluster(`cluster ${name} has no kubeconfig yet`);
      }
      const known = connections.get(key);
      const version = secret.metadata.resourceVersion;
      if (known?.version === version) return known.kube;
      const kube = connect(text, name);
      connections.set(key, { version, kube });
      await known?.kube.close();
      return kube;
    },
    async close() {
      await Promise.all([...connections.values()].map(({ kube }) => kube.close()));
      connections.clear();
    },
  };
}

function connect(text: string, name: string): Kube {
  try {
    return connectKubeconfig(text);
  } catch {
    // What is wrong with it may be part of it.
    throw new UnreachableCluster(`the kubeconfig of cluster ${name} can't be read`);
  }
}
