import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import { TAKES_FAILURES } from '../../domain/ironic/failed-attempt.ts';
import { aNode } from '../../test/builders/host.ts';
import { failedAttempts } from './worker.ts';

/** How an activity with these arguments ends with this answer: with it, or with an error. */
const ended = (activityType: string, args: unknown[], answer: unknown): Promise<unknown> =>
  new MockActivityEnvironment({ activityType })
    .run(() => failedAttempts.execute?.({ args, headers: {} }, () => Promise.resolve(answer)) ?? Promise.reject())
    .catch((error: unknown) => error);
const endOf = (activityType: string, order: unknown, answer: unknown): Promise<unknown> =>
  ended(activityType, [order, TAKES_FAILURES], answer);

const failed = (message: string, answer: unknown): unknown =>
  expect.objectContaining({ message, nonRetryable: true, category: 'BENIGN', details: [answer] });

describe('an activity of Ironic whose attempt failed', () => {
  test.each(['failed', 'refused', 'credentials missing', 'credentials invalid'])(
    'is a failed one, with its answer: %s',
    async (kind) => {
      const answer = { kind, message: 'returned code 401' };
      const error = await endOf('registerNode', {}, answer);
      expect(error).toBeInstanceOf(ApplicationFailure);
      expect(error).toEqual(failed('returned code 401', answer));
    },
  );

  test('is none for a run of older code, which takes the answer alone', async () => {
    const answer = { kind: 'failed', message: 'returned code 401' };
    expect(await ended('registerNode', [{}], answer)).toEqual(answer);
  });

  test.each([{ kind: 'done', node: aNode() }, { kind: 'lost' }, { kind: 'started', node: aNode() }, undefined, null])(
    'is none with %j',
    async (answer) => {
      expect(await endOf('deployNode', {}, answer)).toEqual(answer);
    },
  );

  test('is a wait that ends in a failed state, or with the wrong power', async () => {
    const until = 'rest';
    const node = aNode({ state: 'deploy failed', lastError: 'no disk' });
    const failing = ['deploy failed'];
    expect(await endOf('waitForNode', { until, failing }, node)).toEqual(failed('no disk', node));
    expect(await endOf('waitForNode', { until, failing: [] }, node)).toEqual(node);
    expect(await endOf('waitForNode', { until: 'on' }, aNode({ poweredOn: true }))).toEqual(aNode({ poweredOn: true }));
    expect(await endOf('waitForNode', { until: 'on' }, aNode())).toEqual(failed('the power is not on', aNode()));
    expect(await endOf('waitForNode', { until, failing }, null)).toBeNull();
  });
});
