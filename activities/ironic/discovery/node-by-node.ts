import { messageOf } from '../../../domain/message-of.ts';
import { isApiRefusal } from '../../kubernetes/refusal.ts';
import { isIronicRefusal } from '../client/errors.ts';
import { isNotSent } from '../client/transport.ts';

/** After so many failures in a row it is Ironic that fails, and not a node. */
const IN_A_ROW = 3;
/** A node that fails again and again is tried after 1, 2, 4, … turns, and at last after this many. */
const MOST_TURNS = 32;

/** A node whose last work failed. */
interface Failing {
  readonly message: string;
  /** Turns from the last attempt to the next one. */
  readonly turns: number;
  /** Turns until the next attempt; 0: it is due. */
  readonly left: number;
}

/** Kept between turns, by node. */
export type FailingNodes = Map<string, Failing>;

export interface NodeByNode {
  /** Performs work for a node. Resolves with the message of the failure, or undefined. */
  readonly perform: (nodeId: string, work: () => Promise<void>) => Promise<string | undefined>;
  /** True while `perform` answers with the last failure of the node, without an attempt. */
  readonly isResting: (nodeId: string) => boolean;
}

/**
 * Begins a turn, in which work is performed for one node after the other, so that a node which fails does not keep the
 * others waiting. `perform` throws when three nodes in a row have failed, when a request does not reach Ironic, or when
 * the turn is aborted. A node that had failed before does not count for that, and is tried in fewer and fewer turns: the
 * turns stay short when all nodes fail. A refusal says nothing about Ironic, and is no failure in this sense.
 */
export function nodeByNode(signal: AbortSignal, failing: FailingNodes): NodeByNode {
  let inARow = 0;
  for (const [nodeId, { left, ...failure }] of failing)
    failing.set(nodeId, { ...failure, left: Math.max(left - 1, 0) });
  const due = (nodeId: string): boolean => (failing.get(nodeId)?.left ?? 0) === 0;

  return {
    isResting: (nodeId) => !due(nodeId),
    async perform(nodeId, work) {
      const before = failing.get(nodeId);
      if (before !== undefined && !due(nodeId)) return before.message;
      try {
        await work();
        inARow = 0;
        failing.delete(nodeId);
        return undefined;
      } catch (error) {
        if (signal.aborted || isNotSent(error)) throw error;
        if (isApiRefusal(error)) return messageOf(error);
        if (isIronicRefusal(error)) {
          inARow = 0;
          failing.delete(nodeId);
          return messageOf(error);
        }
        if (before === undefined) inARow += 1;
        const turns = before === undefined ? 1 : Math.min(2 * before.turns, MOST_TURNS);
        failing.set(nodeId, { message: messageOf(error), turns, left: turns });
        if (inARow === IN_A_ROW) throw error;
        return messageOf(error);
      }
    },
  };
}
