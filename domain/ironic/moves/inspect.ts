import { done, each, failWithReason, go, movesTo, RESCUE_AND_SERVICE, recover, wait } from './move.ts';

export interface Inspecting {
  readonly retry: boolean;
  /** An inventory exists and no new one was requested. */
  readonly satisfied: boolean;
  /** Aborts an inspection that waits for its agent; an aborted one starts again. */
  readonly force?: boolean;
}

/** Starts the inspection of a node. */
export const inspectMove = movesTo<Inspecting>('inspected', {
  ...each(['enroll', 'active', 'error', 'clean failed', 'deploy failed', 'adopt failed'], 'impossible'),
  ...each(RESCUE_AND_SERVICE, 'impossible'),
  manageable: (node, { satisfied }) => (satisfied ? done : go(node, 'inspect')),
  available: (node, { satisfied }) => (satisfied ? done : go(node, 'manage', 'inspect')),
  'inspect wait': (_, { force }) => (force ? { kind: 'go', steps: ['abort'] } : wait),
  // An aborted inspection is no failure: it starts again.
  'inspect failed': (node, { retry }) =>
    retry || node.lastError?.includes('aborted') ? recover(node, 'manage', 'inspect') : failWithReason(node),
});
