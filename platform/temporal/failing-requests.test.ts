import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { failingRequests, isTold } from './failing-requests.ts';

const NOON = Date.parse('2026-01-01T12:00:00Z');
beforeEach(() => void vi.spyOn(Date, 'now').mockReturnValue(NOON + 60_000));
afterEach(() => void vi.restoreAllMocks());

/** What is signalled when an activity ends that was scheduled so long ago. */
const told = (
  attempt: number,
  workflowId: string,
  perform: (activity: MockActivityEnvironment) => Promise<unknown>,
  agoMs = 1_000,
) => {
  const calls: unknown[] = [];
  const { execute } = failingRequests((id, failing) => {
    calls.push([id, failing]);
    return Promise.resolve();
  });
  const environment = new MockActivityEnvironment({
    attempt,
    activityType: 'setPower',
    scheduledTimestampMs: NOON + 60_000 - agoMs,
    workflowExecution: { workflowId, runId: 'r' },
  });
  return environment
    .run(
      () =>
        execute?.({ args: [], headers: {} }, () => perform(environment)) ?? Promise.reject(new Error('no interceptor')),
    )
    .then(
      () => calls,
      () => calls,
    );
};
const fails = (): Promise<never> => Promise.reject(new Error('Ironic is locked'));

describe('a request that keeps failing', () => {
  test('is signalled at the third attempt and whenever the attempts have doubled, so that a history grows slowly', () => {
    expect(Array.from({ length: 50 }, (_, attempt) => attempt).filter(isTold)).toEqual([3, 6, 12, 24, 48]);
  });
  test('is signalled to the workflow of the object, also for its operation', async () => {
    const failing = { what: 'setPower', since: '2026-01-01T12:00:59.000Z', attempts: 3, answer: 'Ironic is locked' };
    expect(await told(3, 'baremetalhost/metal/node-1', fails)).toEqual([['baremetalhost/metal/node-1', failing]]);
    expect(await told(3, 'baremetalhost/metal/node-1/provision/2', fails)).toEqual([
      ['baremetalhost/metal/node-1', failing],
    ]);
    expect(await told(2, 'baremetalhost/metal/node-1', fails)).toEqual([]);
    expect(await told(3, 'ironic-capacity/default', fails)).toEqual([]);
  });
  test('of somebody who does not answer is signalled at once, because each attempt takes the whole time limit', async () => {
    const since = '2026-01-01T12:00:30.000Z';
    const failing = { what: 'setPower', since, attempts: 1, answer: 'Ironic is locked' };
    expect(await told(1, 'baremetalhost/metal/node-1', fails, 30_000)).toEqual([
      ['baremetalhost/metal/node-1', failing],
    ]);
    expect(await told(4, 'baremetalhost/metal/node-1', fails, 30_000)).toEqual([]);
    expect(await told(2, 'baremetalhost/metal/node-1', () => Promise.resolve(1), 30_000)).toEqual([
      ['baremetalhost/metal/node-1', null],
    ]);
    expect(await told(1, 'baremetalhost/metal/node-1', () => Promise.resolve(1), 30_000)).toEqual([]);
  });
  test('is not signalled when the activity was cancelled, however long it has waited', async () => {
    const cancelled = async ({ cancel, context }: MockActivityEnvironment): Promise<never> => {
      cancel();
      return context.cancelled;
    };
    expect(await told(1, 'metal3machine/metal/m-1', cancelled, 30_000)).toEqual([]);
    expect(await told(3, 'metal3machine/metal/m-1', cancelled)).toEqual([]);
  });
  test('is signalled as over when it succeeds', async () => {
    expect(await told(4, 'baremetalhost/metal/node-1', () => Promise.resolve(1))).toEqual([
      ['baremetalhost/metal/node-1', null],
    ]);
    expect(await told(1, 'baremetalhost/metal/node-1', () => Promise.resolve(1))).toEqual([]);
  });
});
