/**
 * One request to Ironic. Of its body, only the target or a digest of the image's URL is kept, so that no secret is
 * recorded.
 */
export interface Recorded {
  readonly at: string;
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly kind: RequestKind;
  /** The node as in the path: UUID or name. */
  readonly node?: string;
  /** The target of `states/provision` or `states/power`. */
  readonly target?: string;
  /** Digest of the image's URL that a change of the node sets: see `urlDigest`. */
  readonly image?: string;
  readonly status: number;
  readonly milliseconds: number;
  readonly injected?: true;
}

export type RequestKind =
  | 'list nodes'
  | 'get node'
  | 'provision'
  | 'power'
  | 'change node'
  | 'create node'
  | 'delete node'
  | 'other';

export interface RecordingSummary {
  readonly total: number;
  /** Number of accepted PUTs by provision target and node. */
  readonly provisions: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly kinds: Readonly<Partial<Record<RequestKind, number>>>;
  readonly statuses: Readonly<Record<string, number>>;
}

const NODE_PATH = /^\/v1\/nodes\/([^/?]+)(?:\/([^?]*))?/;

export const nodeOf = (path: string): string | undefined => {
  const node = NODE_PATH.exec(path)?.[1];
  return node === 'detail' ? undefined : node;
};

export const kindOf = (method: string, path: string): RequestKind => {
  if (/^\/v1\/nodes(\/detail)?\/?(\?|$)/.test(path)) {
    if (method === 'GET') return 'list nodes';
    if (method === 'POST') return 'create node';
  }
  const [, node, rest] = NODE_PATH.exec(path) ?? [];
  if (node === undefined) return 'other';
  if (rest === 'states/provision' && method === 'PUT') return 'provision';
  if (rest === 'states/power' && method === 'PUT') return 'power';
  if (rest) return 'other';
  switch (method) {
    case 'GET':
      return 'get node';
    case 'PATCH':
      return 'change node';
    case 'DELETE':
      return 'delete node';
    default:
      return 'other';
  }
};

const count = (counts: Record<string, number>, key: string): void => {
  counts[key] = (counts[key] ?? 0) + 1;
};

export const summarize = (requests: readonly Recorded[]): RecordingSummary => {
  const provisions: Record<string, Record<string, number>> = {};
  const kinds: Partial<Record<RequestKind, number>> = {};
  const statuses: Record<string, number> = {};
  for (const request of requests) {
    count(kinds, request.kind);
    count(statuses, String(request.status));
    const accepted = request.status < 300 && request.injected === undefined;
    if (request.kind === 'provision' && request.target && request.node && accepted) {
      const byNode = (provisions[request.target] ??= {});
      count(byNode, request.node);
    }
  }
  return { total: requests.length, provisions, kinds, statuses };
};
