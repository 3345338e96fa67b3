import { messageOf } from '../../../domain/message-of.ts';
import { isApiRefusal } from '../../kubernetes/refusal.ts';
import { isIronicRefusal } from '../client/errors.ts';
import { isNotSent } from '../client/transport.ts';

/** After so many failures in a row it is Ironic that fails, and not a node. */
const IN_A_ROW = 3;

type Perform = (nodeId: string, work: () => Promise<void>) => Promise<string | undefined>;

/**
 * Performs work for one node after the other, so that a node which fails does not keep the others waiting. Each call
 * resolves with the message of the failure, or undefined; it throws when three nodes in a row have failed, when a request
 * does not reach Ironic, or when the turn is aborted. A refusal, and a node that had failed before, say nothing about
 * Ironic and do not count. `failing` is kept between turns: the nodes whose last work failed.
 */
export function nodeByNode(signal: AbortSignal, failing: Set<string>): Perform {
  let inARow = 0;
  return async (nodeId, work) => {
    try {
      await work();
      inARow = 0;
      failing.delete(nodeId);
      return undefined;
    } catch (error) {
      if (signal.aborted || isNotSent(error)) throw error;
      if (!failing.has(nodeId) && !concernsNode(error)) inARow += 1;
      failing.add(nodeId);
      if (inARow === IN_A_ROW) throw error;
      return messageOf(error);
    }
  };
}

/** Refusals by the API server, for example of a policy, and by Ironic. */
const concernsNode = (error: unknown): boolean => isApiRefusal(error) || isIronicRefusal(error);
