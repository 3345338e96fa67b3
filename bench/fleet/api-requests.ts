import type { Kube } from '../../kube/client.ts';

/** Requests to the API server by verb and resource, of all clients. */
export type ApiRequests = Readonly<Record<string, number>>;

const SAMPLE = /^apiserver_request_total\{(.*)\} ([\d.e+]+)$/;

/** Sums the counter over the labels that do not matter here: response code, scope, version. */
export function countApiRequests(metrics: Iterable<string>): ApiRequests {
  const counts: Record<string, number> = {};
  for (const line of metrics) {
    const [, labels, value] = SAMPLE.exec(line) ?? [];
    if (labels === undefined) continue;
    const label = (name: string): string => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? '';
    const resource = [label('resource'), label('subresource')].filter((part) => part !== '').join('/');
    const kind = `${label('verb')} ${resource}`;
    counts[kind] = (counts[kind] ?? 0) + Number(value);
  }
  return counts;
}

/** The requests between two readings, most frequent first. */
export const apiRequestsBetween = (before: ApiRequests, after: ApiRequests): ApiRequests =>
  Object.fromEntries(
    Object.entries(after)
      .map(([kind, count]) => [kind, count - (before[kind] ?? 0)] as const)
      .filter(([, count]) => count > 0)
      .toSorted(([, a], [, b]) => b - a),
  );

export async function apiRequestsSoFar(kube: Kube): Promise<ApiRequests> {
  const lines: string[] = [];
  for await (const line of kube.lines({ path: '/metrics' })) lines.push(line);
  return countApiRequests(lines);
}
