import { z } from 'zod';

const recorded = z.object({
  at: z.string(),
  method: z.string(),
  path: z.string(),
  kind: z.string(),
  node: z.string().optional(),
  target: z.string().optional(),
  status: z.number(),
  milliseconds: z.number(),
});
export type RecordedRequest = z.infer<typeof recorded>;

export interface RequestCount {
  readonly total: number;
  /** Requests that any number of hosts share: a list each tick while some wait, and the choice of the API version. */
  readonly shared: number;
  /** By method and path without ids, most frequent first. */
  readonly kinds: Readonly<Record<string, number>>;
}

const kindOf = ({ method, path, kind, node, target }: RecordedRequest): string => {
  if (kind === 'list nodes') return 'list nodes';
  const [plain = path] = path.split('?');
  const named = node === undefined ? plain.replace(/[0-9a-f-]{36}/g, '<id>') : plain.replace(node, '<node>');
  return [method, named.replace(/^\/v1\//, ''), target].filter((part) => part !== undefined).join(' ');
};

const SHARED = ['list nodes', 'GET /v1', 'GET drivers'];

export const countRequests = (requests: readonly RecordedRequest[]): RequestCount => {
  const counts = new Map<string, number>();
  for (const request of requests) counts.set(kindOf(request), (counts.get(kindOf(request)) ?? 0) + 1);
  const kinds = Object.fromEntries([...counts].toSorted(([, a], [, b]) => b - a));
  const shared = SHARED.reduce((sum, kind) => sum + (kinds[kind] ?? 0), 0);
  return { total: requests.length, shared, kinds };
};

/** The requests that the proxy in front of Ironic has recorded since the last call. */
export async function takeRequests(proxyControl: string): Promise<readonly RecordedRequest[]> {
  const answer = await fetch(`${proxyControl}/_recorded`);
  const requests = z.array(recorded).parse(await answer.json());
  await fetch(`${proxyControl}/_recorded`, { method: 'DELETE' });
  return requests;
}
