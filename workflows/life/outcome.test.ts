import { RetryState, TimeoutType } from '@temporalio/common';
import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  TerminatedFailure,
  TimeoutFailure,
} from '@temporalio/workflow';
import { describe, expect, test } from 'vitest';
import { STALE } from '../messages.ts';
import { toOutcome } from './outcome.ts';

const wanted = { consideredCancelled: false };
const unwanted = { consideredCancelled: true };

const ofOperation = (cause: Error): Error =>
  new ChildWorkflowFailure(
    'metal',
    { workflowId: 'baremetalhost/metal/host-1/provision/1', runId: 'r' },
    'provisionWorkflow',
    RetryState.NON_RETRYABLE_FAILURE,
    cause,
  );
const ofActivity = (cause: Error): Error =>
  new ActivityFailure(undefined, 'undeployNode', '1', RetryState.TIMEOUT, 'worker', cause);
const timeout = new TimeoutFailure('workflow timed out', undefined, TimeoutType.START_TO_CLOSE);
const terminated = new TerminatedFailure('terminated');
const refused = ApplicationFailure.create({ type: 'HostRejected', message: 'Ironic refused' });
const stale = ApplicationFailure.create({ type: STALE, message: 'it does not ask for it' });

const outcomeOf = (error: Error, scope: { readonly consideredCancelled: boolean }): unknown =>
  toOutcome(error, scope as Parameters<typeof toOutcome>[1]);

describe('an operation', () => {
  test.each([
    ['whose run ended at a time limit', timeout],
    ['that somebody terminated', terminated],
    ['that somebody cancelled', new CancelledFailure('cancelled')],
  ])('%s is no failure of its object', (_, cause) => {
    expect(outcomeOf(ofOperation(cause), wanted)).toEqual({ kind: 'cancelled', byOthers: true });
    expect(outcomeOf(ofOperation(cause), unwanted)).toEqual({ kind: 'cancelled' });
  });

  test('with an activity that has no answer in time has failed', () => {
    const failed = { kind: 'failed', message: 'no answer in time: provisionWorkflow' };
    expect(outcomeOf(ofOperation(ofActivity(timeout)), wanted)).toEqual(failed);
    expect(outcomeOf(ofOperation(ofActivity(timeout)), unwanted)).toEqual({ kind: 'cancelled' });
  });

  test('has failed with the words of the activity that failed', () => {
    const failed = { kind: 'failed', message: 'Ironic refused' };
    expect(outcomeOf(ofOperation(ofActivity(refused)), wanted)).toEqual(failed);
  });
});

describe('an activity', () => {
  test('without an answer in time has failed, unless it is not wanted any more', () => {
    expect(outcomeOf(ofActivity(timeout), wanted)).toEqual({
      kind: 'failed',
      message: 'no answer in time: undeployNode',
    });
    expect(outcomeOf(ofActivity(timeout), unwanted)).toEqual({ kind: 'cancelled' });
  });

  test('that was cancelled is no failure', () => {
    expect(outcomeOf(ofActivity(new CancelledFailure('unwanted')), wanted)).toEqual({ kind: 'cancelled' });
  });

  test('for which the object does not ask is stale, unless the run has learned that itself', () => {
    expect(outcomeOf(ofActivity(stale), wanted)).toEqual({ kind: 'stale', message: 'it does not ask for it' });
    expect(outcomeOf(ofActivity(stale), unwanted)).toEqual({ kind: 'cancelled' });
  });
});
