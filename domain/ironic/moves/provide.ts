import { done, each, failWithReason, go, movesTo, RESCUE_AND_SERVICE, recover } from './move.ts';

interface Providing {
  readonly retry: boolean;
}

/** Brings a node to `available`, which cleans it. */
export const provideMove = movesTo<Providing>('made available', {
  ...each(['enroll', 'error', 'adopt failed'], 'impossible'),
  manageable: (node) => go(node, 'provide'),
  'inspect failed': (node) => recover(node, 'manage', 'provide'),
  'clean failed': (node, { retry }) => (retry ? recover(node, 'manage', 'provide') : failWithReason(node)),
  available: () => done,
  // The node is past `available`: the deployment decides what to do.
  ...each(['deploying', 'wait call-back', 'active', 'deploy failed'], () => done),
  ...each(RESCUE_AND_SERVICE, () => done),
});
