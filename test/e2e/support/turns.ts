import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { auditLogOf } from '../../../lab/control-plane/audit.ts';
import { storedIn } from '../../chaos/audit.ts';
import type { TestLab } from './lab.ts';
import { requestsRecorded } from './recorded.ts';

/** A request that changes something at Ironic, from its arrival at the proxy until its answer. */
export interface Change {
  readonly at: number;
  readonly until: number;
  readonly method: string;
  readonly kind: string;
  readonly target?: string;
  readonly host: string;
  readonly status: number;
  readonly injected: boolean;
}

/** A BareMetalHost as the API server gave it to bridge or workers. */
export interface HostRead {
  readonly at: number;
  readonly host: string;
  readonly hasImage: boolean;
}

const recorded = z.object({
  at: z.string().transform((at) => Date.parse(at)),
  milliseconds: z.number(),
  method: z.string(),
  kind: z.string(),
  target: z.string().optional(),
  node: z.string().optional(),
  status: z.number(),
  injected: z.boolean().default(false),
});

/** What the proxy in front of Ironic recorded of nodes that have hosts, in order. */
export async function changesOf(lab: TestLab, hostsOfNodes: ReadonlyMap<string, string>): Promise<readonly Change[]> {
  return (await requestsRecorded(lab))
    .map((one) => recorded.parse(one))
    .flatMap(({ node = '', at, milliseconds, target, ...one }) => {
      const host = hostsOfNodes.get(node);
      if (one.method === 'GET' || host === undefined) return [];
      return [{ ...one, ...(target !== undefined && { target }), host, at, until: at + milliseconds }];
    })
    .toSorted((one, other) => one.at - other.at);
}

/** Each BareMetalHost that bridge or workers have read by its name, from the audit log of the API server. */
export async function hostReadsOf({ dir }: TestLab): Promise<readonly HostRead[]> {
  const lines = (await readFile(auditLogOf(dir), 'utf8')).split('\n').slice(0, -1);
  return storedIn(lines, 'read').map(({ receivedAt: at, object: { metadata, spec } }) => ({
    at,
    host: metadata.name,
    hasImage: spec?.image !== undefined,
  }));
}

/** Whether a host has an image when it asks for a change. undefined: either way. */
const ASKING: Readonly<Record<string, boolean>> = { deleted: false, active: true };

/**
 * The changes that were not decided in their turn. In its turn a change has one of so many places: when its host was
 * read for it, fewer changes of other hosts than that were under way. And the host, as it was read, asked for it.
 */
export function outOfTurn(changes: readonly Change[], reads: readonly HostRead[], places: number): readonly string[] {
  return changes.flatMap((change) => {
    const what = `${change.method} ${change.target ?? change.kind} of ${change.host} at ${new Date(change.at).toISOString()}`;
    const read = reads.filter(({ host, at }) => host === change.host && at <= change.at).at(-1);
    if (read === undefined) return [`${what}: its host was not read`];
    const underWay = changes.filter(({ host, at, until }) => host !== change.host && at <= read.at && read.at < until);
    const asking = ASKING[change.target ?? ''];
    return [
      ...(underWay.length < places ? [] : [`${what}: its host was read before its turn`]),
      ...(asking === undefined || asking === read.hasImage ? [] : [`${what}: its host did not ask for it`]),
    ];
  });
}
