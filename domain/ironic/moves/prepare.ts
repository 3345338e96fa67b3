import type { IronicAnswer } from '../orders.ts';
import { done, each, failWithReason, go, type Move, movesTo, RESCUE_AND_SERVICE, recover } from './move.ts';

interface Preparing {
  /** There are steps of manual cleaning to run. */
  readonly hasSteps: boolean;
  readonly retry: boolean;
}

/** Runs manual cleaning on a node; it ends in `manageable`, or stays `available` when there is nothing to clean. */
export const prepareMove = movesTo<Preparing>('prepared', {
  ...each(['enroll', 'active', 'error', 'deploy failed', 'adopt failed'], 'impossible'),
  ...each(RESCUE_AND_SERVICE, 'impossible'),
  available: (node, { hasSteps }) => (hasSteps ? go(node, 'manage', 'clean') : done),
  manageable: (node, { hasSteps }) => (hasSteps ? go(node, 'clean') : done),
  // Without steps there is nothing to clean, so the node only has to leave the failed state.
  'clean failed': (node, { hasSteps, retry }) =>
    retry ? recover(node, 'manage', ...(hasSteps ? (['clean'] as const) : [])) : failWithReason(node),
  'inspect failed': (node, { hasSteps }) => recover(node, 'manage', ...(hasSteps ? (['clean'] as const) : [])),
});

/**
 * Cleaning that was not started by this request may be for an older wish. That holds for a repeated attempt, too: when
 * the answer to an earlier one was lost, the node is cleaned twice.
 */
export const markRunning = (answer: IronicAnswer, move: Move): IronicAnswer =>
  answer.kind === 'started' && move.kind === 'wait' ? { ...answer, alreadyRunning: true } : answer;
