import { z } from 'zod';
import { maybeText } from '../../api/meta/lenient.ts';
import type { ObjectName } from '../../domain/machine/memory/snapshot.ts';
import { NODE_UUID_LABEL } from '../../domain/machine/names.ts';
import type { KubernetesNode } from '../../domain/machine/node-link/provider-id.ts';
import type { Kube } from '../../kube/client.ts';
import { readNode } from '../../kube/objects/node.ts';
import { isObjectName, nodePath } from '../../kube/paths.ts';
import { UnreachableCluster } from './clusters.ts';

const PAGE = 500;
/** Twice the number of Nodes that Kubernetes supports. */
const MOST_PAGES = 20;
/** Time for all pages together. */
const LONGEST_MS = 30_000;
const LONGEST_TOKEN = 4_096;

const HOSTNAME_LABEL = 'kubernetes.io/hostname';
/** A providerID goes into the spec of a Metal3Machine. */
const PROVIDER_ID = /^[\x21-\x7e]{0,512}$/;

const page = z.object({
  items: z.array(z.unknown()),
  metadata: z.object({ continue: maybeText }).catch({ continue: undefined }),
});

/** All Nodes of a workload cluster, page by page. Its API server belongs to a tenant: odd Nodes are left out. */
export async function listNodes(kube: Kube, { name }: ObjectName): Promise<readonly KubernetesNode[]> {
  const signal = AbortSignal.timeout(LONGEST_MS);
  const nodes: KubernetesNode[] = [];
  let next: string | undefined;
  for (let count = 1; ; count++) {
    const read = page.safeParse(
      await kube.request({ path: nodePath(), query: { limit: PAGE, continue: next }, signal }),
    );
    if (!read.success) throw new UnreachableCluster(`the API server of cluster ${name} answers with no list of Nodes`);
    nodes.push(...read.data.items.flatMap(nodeFacts));
    next = read.data.metadata.continue || undefined;
    if (next === undefined) return nodes;
    if (count === MOST_PAGES || next.length > LONGEST_TOKEN) {
      throw new UnreachableCluster(`the API server of cluster ${name} answers too much`);
    }
  }
}

function nodeFacts(object: unknown): readonly KubernetesNode[] {
  const read = attempt(object);
  if (read === undefined) return [];
  const {
    metadata: { name, labels },
    spec: { providerID },
  } = read;
  if (!isObjectName(name) || !PROVIDER_ID.test(providerID)) return [];
  const [uuid, hostname] = [labels[NODE_UUID_LABEL], labels[HOSTNAME_LABEL]];
  return [{ name, providerID, ...(uuid !== undefined && { uuid }), ...(hostname !== undefined && { hostname }) }];
}

function attempt(object: unknown): ReturnType<typeof readNode> | undefined {
  try {
    return readNode(object);
  } catch {
    return undefined;
  }
}
