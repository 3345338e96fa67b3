import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, test } from 'vitest';
import { failingRequests, isTold } from './failing-requests.ts';

const told = (attempt: number, workflowId: string, perform: () => Promise<unknown>) => {
  const calls: unknown[] = [];
  const { execute } = failingRequests((id, failing) => {
    calls.push([id, failing]);
    return Promise.resolve();
  });
  const environment = new MockActivityEnvironment({
    attempt,
    activityType: 'setPower',
    scheduledTimestampMs: 0,
    workflowExecution: { workflowId, runId: 'r' },
  });
  return environment
    .run(() => execute?.({ args: [], headers: {} }, perform) ?? Promise.reject(new Error('no interceptor')))
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
    const failing = { what: 'setPower', since: '1970-01-01T00:00:00.000Z', attempts: 3, answer: 'Ironic is locked' };
    expect(await told(3, 'baremetalhost/metal/node-1', fails)).toEqual([['baremetalhost/metal/node-1', failing]]);
    expect(await told(3, 'baremetalhost/metal/node-1/provision/2', fails)).toEqual([
      ['baremetalhost/metal/node-1', failing],
    ]);
    expect(await told(2, 'baremetalhost/metal/node-1', fails)).toEqual([]);
    expect(await told(3, 'ironic-capacity/default', fails)).toEqual([]);
  });
  test('is signalled as over when it succeeds', async () => {
    expect(await told(4, 'baremetalhost/metal/node-1', () => Promise.resolve(1))).toEqual([
      ['baremetalhost/metal/node-1', null],
    ]);
    expect(await told(1, 'baremetalhost/metal/node-1', () => Promise.resolve(1))).toEqual([]);
  });
});
