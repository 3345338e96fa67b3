import { describe, expect, test } from 'vitest';
import { isIn } from './history-mark.ts';

const AT = Date.parse('2026-11-27T12:00:00.123Z');
const PERFORMED = { workflowId: 'baremetalhost/metal3/a', runId: 'r', activityId: '7', scheduledAt: AT };

const timeOf = (at: number) => ({
  seconds: Math.floor(at / 1_000) as never,
  nanos: (at % 1_000) * 1_000_000 + 456_789,
});
const scheduled = (activityId: string, at: number) => ({
  eventTime: timeOf(at),
  activityTaskScheduledEventAttributes: { activityId },
});
const signalled = (at: number) => ({ eventTime: timeOf(at), workflowExecutionSignaledEventAttributes: {} });

describe('an activity that was performed', () => {
  test('is in a history that has its beginning', () => {
    expect(isIn([signalled(AT + 5), scheduled('7', AT), scheduled('6', AT - 5)], PERFORMED)).toBe(true);
  });

  test.each([
    ['ends before it', [signalled(AT - 5), scheduled('6', AT - 5)]],
    ['was put back and has another one of its number', [scheduled('7', AT + 9_000), signalled(AT - 5)]],
    ['was put back and has only newer events since', [signalled(AT + 9_000), signalled(AT - 5)]],
  ])('is not in a history that %s', (_, events) => {
    expect(isIn(events, PERFORMED)).toBe(false);
  });
});
