import { expect, test } from 'vitest';
import { aNode } from '../../../test/builders/host.ts';
import { afterStep } from './move.ts';
import { prepareMove } from './prepare.ts';

const failedNode = { maintenance: true, fault: 'clean failure', lastError: 'no such disk' };

test.each([
  ['available', true, false, {}, 'manage > clean'],
  ['available', false, false, {}, 'done'],
  ['manageable', true, false, {}, 'clean'],
  ['manageable', false, false, {}, 'done'],
  ['cleaning', true, false, {}, 'wait'],
  ['clean wait', true, true, {}, 'wait'],
  ['clean failed', true, false, failedNode, 'fail: no such disk'],
  ['clean failed', true, true, failedNode, 'clear maintenance > manage > clean'],
  ['clean failed', false, true, failedNode, 'clear maintenance > manage'],
  ['inspect failed', true, false, {}, 'manage > clean'],
  ['active', true, false, {}, "fail: node n is in state 'active' and can't be prepared"],
] as const)(
  'a node in %s, with steps %s, retry %s, %o is prepared by: %s',
  (state, hasSteps, retry, more, expected) => {
    const move = prepareMove(aNode({ id: 'n', state, ...more }), { hasSteps, retry });
    const said =
      move.kind === 'go' ? move.steps.join(' > ') : move.kind === 'fail' ? `fail: ${move.message}` : move.kind;
    expect(said).toBe(expected);
  },
);

test('a node whose cleaning was requested is being cleaned', () => {
  expect(afterStep(aNode({ state: 'manageable' }), 'clean').state).toBe('cleaning');
});
