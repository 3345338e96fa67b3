import type { Happening } from '../happenings.ts';
import type { NodeNow } from '../ironic-nodes.ts';

/**
 * What a restored Ironic says about nodes. A host that was deployed since with another image stays as it is: its node
 * is in use, with the image of the earlier time.
 */
export interface EarlierRecords {
  take(happening: Happening): void;
  /** The node of a host as Ironic's copy had it; undefined when its server was told something since. */
  of(host: string): NodeNow | undefined;
}

export function createEarlierRecords(): EarlierRecords {
  let records = new Map<string, NodeNow>();
  return {
    take(happening) {
      if (happening.kind === 'told') records.delete(happening.told.server);
      if (happening.kind !== 'journal' || happening.entry.kind !== 'ironic put back') return;
      records = new Map(happening.entry.nodes.map((node) => [node.host, node]));
    },
    of: (host) => records.get(host),
  };
}
