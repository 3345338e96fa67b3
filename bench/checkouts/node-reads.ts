import type { RecordedRequest } from '../requests.ts';

/** How often nodes were read, beside the requests that disturb a machine. */
export interface NodeReads {
  /** Requests that erase, boot, power off or give away a machine. */
  readonly disturbing: number;
  /** Those for which the node was read since the disturbing request before. */
  readonly afterRead: number;
  /** All reads of single nodes. */
  readonly reads: number;
}

const DISTURBING_TARGETS: readonly string[] = [
  'inspect',
  'clean',
  'provide',
  'active',
  'rebuild',
  'deleted',
  'abort',
  'power off',
  'soft power off',
  'rebooting',
  'soft rebooting',
];

const isDisturbing = ({ kind, target = '' }: RecordedRequest): boolean =>
  kind === 'delete node' || DISTURBING_TARGETS.includes(target);

export function countNodeReads(requests: readonly RecordedRequest[]): NodeReads {
  const readNodes = new Set<string>();
  let [disturbing, afterRead, reads] = [0, 0, 0];
  for (const request of requests.toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at))) {
    const { kind, node = '' } = request;
    if (kind === 'get node') {
      reads += 1;
      readNodes.add(node);
    }
    if (!isDisturbing(request)) continue;
    disturbing += 1;
    if (readNodes.delete(node)) afterRead += 1;
  }
  return { disturbing, afterRead, reads };
}
