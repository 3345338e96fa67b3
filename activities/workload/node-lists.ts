import type { ObjectName } from '../../domain/machine/memory/snapshot.ts';
import type { KubernetesNode } from '../../domain/machine/node-link/provider-id.ts';
import { createKept } from '../../platform/kept.ts';

export interface NodeLists {
  /** A list that begins after the call. */
  now(cluster: ObjectName): Promise<readonly KubernetesNode[]>;
  /** A list that began a moment ago if there is one, else a new one. */
  recent(cluster: ObjectName): Promise<readonly KubernetesNode[]>;
  /** Clusters of which a list is kept. */
  readonly size: number;
}

type ListNodes = (cluster: ObjectName) => Promise<readonly KubernetesNode[]>;

/** However many activities wait for Nodes of one cluster, one list serves all of them. */
export function createNodeLists(list: ListNodes, intervalMs: number): NodeLists {
  const last = createKept<{ readonly at: number; readonly nodes: Promise<readonly KubernetesNode[]> }>(intervalMs);
  const begin = (key: string, cluster: ObjectName): Promise<readonly KubernetesNode[]> => {
    const nodes = list(cluster);
    last.put(key, { at: performance.now(), nodes });
    return nodes;
  };
  const keyOf = ({ namespace, name }: ObjectName): string => `${namespace}/${name}`;
  return {
    now: (cluster) => begin(keyOf(cluster), cluster),
    recent(cluster) {
      const known = last.get(keyOf(cluster));
      const isRecent = known !== undefined && performance.now() - known.at < intervalMs / 2;
      return isRecent ? known.nodes : begin(keyOf(cluster), cluster);
    },
    get size() {
      return last.size;
    },
  };
}
