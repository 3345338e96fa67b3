import { WorkflowUpdateFailedError } from '@temporalio/client';
import { ActivityFailure, ApplicationFailure, RetryState } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { claimRefusal } from './request-host.ts';

/** What a machine gets when the activity that writes its claim has ended so. */
const endedBy = (state: RetryState, message: string): WorkflowUpdateFailedError =>
  new WorkflowUpdateFailedError(
    'Workflow Update failed',
    new ActivityFailure(undefined, 'takeHost', '1', state, 'worker', ApplicationFailure.create({ message })),
  );

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

  test('was not written when the workflow of the host refused it', () => {
    const refused = new WorkflowUpdateFailedError(
      'Workflow Update failed',
      ApplicationFailure.create({ message: 'gone' }),
    );
    expect(claimRefusal(refused)).toEqual({ kind: 'refused', message: 'gone' });
  });
});
