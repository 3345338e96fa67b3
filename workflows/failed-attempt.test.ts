import { RetryState } from '@temporalio/common';
import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';
import { expect, test } from 'vitest';
import { FAILED_ATTEMPT, TAKES_FAILURES } from '../domain/ironic/failed-attempt.ts';
import { withFailedAttempts } from './failed-attempt.ts';

const ORDER = { nodeId: 'node-1' };
const ANSWER = { kind: 'refused', message: 'no disk' };

test('an activity gets its order unchanged, and behind it that the answer of a failed attempt is taken', async () => {
  const activities = withFailedAttempts({ examineNode: (...args: unknown[]) => Promise.resolve(args) });
  expect(await activities.examineNode(ORDER)).toEqual([ORDER, TAKES_FAILURES]);
});

test('a failed attempt is an answer for its caller', async () => {
  const cause = ApplicationFailure.create({ type: FAILED_ATTEMPT, message: 'no disk', details: [ANSWER] });
  const failure = new ActivityFailure(undefined, 'examineNode', '1', RetryState.NON_RETRYABLE_FAILURE, 'worker', cause);
  const activities = withFailedAttempts({ examineNode: (..._order: unknown[]) => Promise.reject(failure) });
  expect(await activities.examineNode(ORDER)).toEqual(ANSWER);
});
