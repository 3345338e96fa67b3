import type { ObjectName } from '../../domain/machine/memory/snapshot.ts';
import { connectKubeconfig, type Kube, KubeError } from '../../kube/client.ts';
import { textOf } from '../../kube/objects/secret.ts';
import { readSecret } from '../kubernetes/secrets.ts';

/** The API servers of workload clusters, each reached with the kubeconfig in the Secret `<cluster>-kubeconfig`. */
export interface WorkloadClusters {
  /** Throws `UnreachableCluster` while there is no kubeconfig that can be used. */
  connect(cluster: ObjectName): Promise<Kube>;
  close(): Promise<void>;
}

/** The cluster is unreachable at present. The message is the same for as long as the reason is. */
export class UnreachableCluster extends Error {
  override readonly name = 'UnreachableCluster';
}

/** Why an error means that a workload cluster is unreachable; undefined when the error is about the request. */
export function whyUnreachable(error: unknown, { name }: ObjectName): string | undefined {
  if (error instanceof UnreachableCluster) return error.message;
  if (!(error instanceof KubeError)) return undefined;
  if (error.status === 0) return `the API server of cluster ${name} is unreachable`;
  if (error.status === 401 || error.status === 403) return `the API server of cluster ${name} refuses our credentials`;
  return error.status >= 500 ? `the API server of cluster ${name} fails` : undefined;
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
    // The library's message may contain a part of the kubeconfig.
    throw new UnreachableCluster(`the kubeconfig of cluster ${name} is invalid`);
  }
}
