import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure, RetryState } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { claimRefusal } from './request-host.ts';

/** What a machine gets when the activity that writes its claim has ended so. */
function endedBy(state: RetryState, message: string, type = 'Error'): WorkflowUpdateFailedError {
  const cause = ApplicationFailure.create({ message, type });
  const failure = new ActivityFailure(undefined, 'takeHost', '1', state, 'worker', cause);
  return new WorkflowUpdateFailedError('Workflow Update failed', failure);
}

describe('a claim that failed', () => {
  test.each([RetryState.TIMEOUT, RetryState.MAXIMUM_ATTEMPTS_REACHED, RetryState.INTERNAL_SERVER_ERROR])(
    'may have been written when its attempts ended with %s',
    (state) => {
      const answer = { kind: 'refused', message: 'no answer in time', isUnknown: true };
      expect(claimRefusal(endedBy(state, 'no answer in time'))).toEqual(answer);
    },
  );

  test('was not written when the API server refused it for good, so that the machine tries another host', () => {
    const refused = endedBy(RetryState.NON_RETRYABLE_FAILURE, 'a policy forbids it');
    expect(claimRefusal(refused)).toEqual({ kind: 'refused', message: 'a policy forbids it' });
  });

  test('may have been written by an attempt before the machine was deleted, so that the machine looks for no other', () => {
    const stale = endedBy(RetryState.NON_RETRYABLE_FAILURE, 'the machine does not exist', 'Stale');
    expect(claimRefusal(stale)).toMatchObject({ isUnknown: true });
  });

  test('was not written when the workflow of the host refused it', () => {
    const refused = new WorkflowUpdateFailedError(
      'Workflow Update failed',
      ApplicationFailure.create({ message: 'gone' }),
    );
    expect(claimRefusal(refused)).toEqual({ kind: 'refused', message: 'gone' });
  });
});
