import { isOfOther } from '../../domain/ironic/node/node.ts';
import type { HostRef } from '../../domain/ironic/orders.ts';
import type { ReadingTools } from './tools.ts';

/**
 * The tools for one host, to which Ironic does not know the nodes of other hosts. The id of a node comes from the
 * status of a BareMetalHost or from a message of Temporal, so it may be that of somebody else's node.
 */
export function toolsFor({ client, poller, ...tools }: ReadingTools, host: HostRef): ReadingTools {
  const isForeign = (nodeId: string): boolean => {
    const name = poller.nameOf(nodeId);
    return name !== undefined && isOfOther(name, host);
  };
  return {
    ...tools,
    client: {
      ...client,
      async getNode(id, options) {
        const node = await client.getNode(id, options);
        return node !== undefined && isOfOther(node.name, host) ? undefined : node;
      },
    },
    poller: {
      ...poller,
      recent: (nodeId) => (isForeign(nodeId) ? undefined : poller.recent(nodeId)),
      async waitFor(nodeId, accepts, signal, onOutage) {
        let isOurs = true;
        const node = await poller.waitFor(
          nodeId,
          (seen, step) => {
            isOurs = !isForeign(nodeId);
            return isOurs ? accepts(seen, step) : accepts(null, undefined);
          },
          signal,
          onOutage,
        );
        return isOurs ? node : null;
      },
    },
  };
}
