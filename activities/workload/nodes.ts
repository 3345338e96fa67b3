import { setTimeout as sleep } from 'node:timers/promises';
import type { ObjectName } from '../../domain/entity/object-ref.ts';
import type { LinkAnswer, LinkOrder } from '../../domain/machine/memory/link.ts';
import type { LabelOrder, NodeLinkAnswer } from '../../domain/machine/memory/step.ts';
import { labelPatch } from '../../domain/machine/node-link/label-sync.ts';
import { type KubernetesNode, linkNode, notAsked } from '../../domain/machine/node-link/provider-id.ts';
import { readNode } from '../../kube/objects/node.ts';
import { nodePath } from '../../kube/paths.ts';
import { createKept } from '../../platform/kept.ts';
import type { KeptSizes } from '../../platform/metrics/kept.ts';
import type { ActivityCall } from '../ironic/context.ts';
import { refusing } from '../kubernetes/refusal.ts';
import { type WorkloadClusters, whyUnreachable } from './clusters.ts';
import { listNodes } from './list-nodes.ts';

export interface WorkloadActivities {
  /** Finds the Node of a machine and sets its providerID, if it has none. Idempotent. */
  findNode(order: LinkOrder): Promise<NodeLinkAnswer>;
  /** Like findNode, but waits until the result differs from `told`. */
  readonly awaitNode: (input: { readonly order: LinkOrder; readonly knownProblem: string }) => Promise<NodeLinkAnswer>;
  /** Copies the labels of the host with the given prefixes to its Node. Idempotent; writes only differences. */
  syncNodeLabels(order: LabelOrder): Promise<void>;
}

export interface WorkloadDeps {
  readonly clusters: WorkloadClusters;
  /** Milliseconds between two lists of the Nodes of one cluster, for all activities that wait. */
  readonly intervalMs: number;
  readonly currentCall: () => Pick<ActivityCall, 'signal'>;
}

/** A message may list many Nodes, so it is cut. */
const LONGEST_MESSAGE = 1_000;

const cut = (answer: LinkAnswer): LinkAnswer =>
  answer.kind === 'linked' || answer.message.length <= LONGEST_MESSAGE
    ? answer
    : { ...answer, message: `${answer.message.slice(0, LONGEST_MESSAGE)} …` };

export function createWorkloadActivities({ clusters, intervalMs, currentCall }: WorkloadDeps): {
  readonly activities: WorkloadActivities;
  readonly kept: KeptSizes;
} {
  const lists = createNodeLists(async (cluster) => listNodes(await clusters.connect(cluster), cluster), intervalMs);

  const look = async (order: LinkOrder, list: Promise<readonly KubernetesNode[]>): Promise<LinkAnswer> => {
    try {
      const answer = cut(linkNode(await list, order));
      if (answer.kind === 'linked' && answer.write) {
        const kube = await clusters.connect(order.cluster);
        const spec = { providerID: answer.providerID };
        await refusing(() => kube.patch(nodePath(answer.node), { spec }));
      }
      return answer;
    } catch (error) {
      const why = whyUnreachable(error, order.cluster);
      if (why === undefined) throw error;
      return notAsked(order, why);
    }
  };

  const activities: WorkloadActivities = {
    findNode: async (order) => ({ kind: 'node', answer: await look(order, lists.now(order.cluster)) }),

    async awaitNode({ order, knownProblem }) {
      const { signal } = currentCall();
      for (;;) {
        await sleep(intervalMs, undefined, { signal });
        const answer = await look(order, lists.recent(order.cluster));
        if (answer.kind === 'linked' || answer.message !== knownProblem) return { kind: 'node', answer };
      }
    },

    syncNodeLabels: ({ cluster, node: name, prefixes, labels }) =>
      refusing(async () => {
        const kube = await clusters.connect(cluster);
        const path = nodePath(name);
        const { metadata } = readNode(await kube.request({ path }));
        const patch = labelPatch(prefixes, labels, metadata.labels);
        if (patch !== undefined) await kube.patch(path, { metadata: { labels: patch } });
      }),
  };
  return { activities, kept: { node_lists: () => lists.size, workload_connections: () => clusters.size } };
}

interface NodeLists {
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
