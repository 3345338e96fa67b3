import { messageOf } from '../../../domain/message-of.ts';
import { isNotSent } from '../client/transport.ts';

/** After so many failures in a row it is Ironic that fails, and not a node. */
const IN_A_ROW = 3;

/**
 * Performs work for one node after the other, so that a node which fails does not keep the others waiting. Each call
 * resolves with the message of the failure, or undefined; it throws when three nodes in a row have failed, when a request
 * does not reach Ironic, or when the turn is aborted.
 */
export function nodeByNode(signal: AbortSignal): (work: () => Promise<void>) => Promise<string | undefined> {
  let failures = 0;
  return async (work) => {
    try {
      await work();
      failures = 0;
      return undefined;
    } catch (error) {
      failures += 1;
      if (signal.aborted || failures === IN_A_ROW || isNotSent(error)) throw error;
      return messageOf(error);
    }
  };
}
