import { z } from 'zod';
import { maybeText } from '../../api/meta/lenient.ts';
import type { ObjectName } from '../../domain/entity/object-ref.ts';
import { NODE_UUID_LABEL } from '../../domain/machine/names.ts';
import type { KubernetesNode } from '../../domain/machine/node-link/provider-id.ts';
import type { Kube } from '../../kube/client.ts';
import { readNode } from '../../kube/objects/node.ts';
import { isObjectName, nodePath } from '../../kube/paths.ts';
import { UnreachableCluster } from './clusters.ts';

/** A Node has 20 to 40 KiB and up to 1,000 values: a page stays far below the bound of an answer. */
const PAGE = 25;
/** Twice the number of Nodes that Kubernetes supports. */
const MOST_NODES = 10_000;
const TOO_MANY = `answers too much: more than ${MOST_NODES} Nodes`;
/** Time for all pages together. */
const LONGEST_MS = 30_000;
const LONGEST_TOKEN = 4_096;
/** The longest value of a label that an API server accepts. */
const LONGEST_LABEL = 63;

const HOSTNAME_LABEL = 'kubernetes.io/hostname';
/** A providerID goes into the spec of a Metal3Machine. */
const PROVIDER_ID = /^[\x21-\x7e]{0,512}$/;

const page = z.object({
  items: z.array(z.unknown()),
  metadata: z.object({ continue: maybeText }).catch({ continue: undefined }),
});

interface NodePages {
  /** Nodes in one answer. */
  readonly size: number;
  readonly accept?: string;
  /** Ends the list, however many pages there are. */
  readonly signal: AbortSignal;
}

/**
 * Visits all Nodes of a workload cluster, as its API server sends them, page by page. The server belongs to a tenant:
 * no page is kept while the next one is read, so that a list needs no more memory than its largest page.
 */
export async function visitNodes(
  kube: Kube,
  { name }: ObjectName,
  { size, accept, signal }: NodePages,
  visit: (node: unknown) => void,
): Promise<void> {
  const refuse = (why: string): never => {
    throw new UnreachableCluster(`the API server of cluster ${name} ${why}`);
  };
  let left = MOST_NODES;
  /** Returns the token of the next page. */
  const visitPage = async (token: string | undefined): Promise<string | undefined> => {
    const query = { limit: size, continue: token };
    const answer = await kube.request({ path: nodePath(), query, signal, ...(accept !== undefined && { accept }) });
    const read = page.safeParse(answer);
    if (!read.success) return refuse('answers with no list of Nodes');
    const { items, metadata } = read.data;
    left -= items.length;
    if (left < 0) return refuse(TOO_MANY);
    for (const item of items) visit(item);
    return metadata.continue || undefined;
  };
  let next = await visitPage(undefined);
  for (let count = 1; next !== undefined; count++) {
    if (count * size >= MOST_NODES || next.length > LONGEST_TOKEN) return refuse(TOO_MANY);
    next = await visitPage(next);
  }
}

/** All Nodes of a workload cluster; odd ones are left out. */
export async function listNodes(kube: Kube, cluster: ObjectName): Promise<readonly KubernetesNode[]> {
  const nodes: KubernetesNode[] = [];
  const pages = { size: PAGE, signal: AbortSignal.timeout(LONGEST_MS) };
  await visitNodes(kube, cluster, pages, (node) => nodes.push(...nodeFacts(node)));
  return nodes;
}

function nodeFacts(object: unknown): readonly KubernetesNode[] {
  const read = attempt(object);
  if (read === undefined) return [];
  const {
    metadata: { name, labels },
    spec: { providerID },
  } = read;
  if (!isObjectName(name) || !PROVIDER_ID.test(providerID)) return [];
  const [uuid, hostname] = [labelOf(labels, NODE_UUID_LABEL), labelOf(labels, HOSTNAME_LABEL)];
  return [{ name, providerID, ...(uuid !== undefined && { uuid }), ...(hostname !== undefined && { hostname }) }];
}

function labelOf(labels: Readonly<Record<string, string>>, key: string): string | undefined {
  const value = labels[key];
  return value !== undefined && value.length <= LONGEST_LABEL ? value : undefined;
}

function attempt(object: unknown): ReturnType<typeof readNode> | undefined {
  try {
    return readNode(object);
  } catch {
    return undefined;
  }
}
