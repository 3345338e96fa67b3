import { expect, test } from 'vitest';
import { notMarkedInWords, withFailingRequest } from './failing-request.ts';

const FAILING = { what: 'Provision a: deployNode', since: '2026-01-01T00:00:00Z', attempts: 3, answer: 'no answer' };
const SAID = 'Provision a: deployNode: 3 attempts since 2026-01-01T00:00:00Z, last answer: no answer';
const condition = (type: string, message: string) => ({ type, status: 'False', reason: 'R', message }) as const;

test('a request that keeps failing is said by the conditions that say what is waited for', () => {
  const conditions = [condition('Ready', 'deploying a'), condition('Progressing', ''), condition('Healthy', 'x')];
  expect(withFailingRequest({ conditions }, FAILING).conditions).toEqual([
    condition('Ready', `deploying a; ${SAID}`),
    condition('Progressing', SAID),
    condition('Healthy', 'x'),
  ]);
  expect(withFailingRequest({ conditions }, undefined)).toEqual({ conditions });
});

test('a request that is not sent, because a policy forbids its mark, is a refused write', () => {
  const refusal = notMarkedInWords('denied by policy no-annotations');
  const failing = { ...FAILING, answer: `deploy: BareMetalHost node-1: ${refusal}` };
  const refused = (...conditions: ReturnType<typeof condition>[]) =>
    withFailingRequest({ conditions }, failing).conditions?.find(({ type }) => type === 'WriteRefused');
  expect(refused(condition('Ready', ''))).toEqual({
    type: 'WriteRefused',
    status: 'True',
    reason: 'Forbidden',
    message: refusal,
  });
  expect(refused(condition('Ready', ''), condition('WriteRefused', 'labels'))).toMatchObject({
    reason: 'R',
    message: `labels; ${refusal}`,
  });
});

test('a single attempt that nobody has answered is one attempt', () => {
  const [ready] =
    withFailingRequest({ conditions: [condition('Ready', '')] }, { ...FAILING, attempts: 1 }).conditions ?? [];
  expect(ready?.message).toBe(SAID.replace('3 attempts', '1 attempt'));
});

test('an answer of any length is cut off', () => {
  const long = { ...FAILING, answer: 'x'.repeat(9_000) };
  const [ready] = withFailingRequest({ conditions: [condition('Ready', '')] }, long).conditions ?? [];
  expect(ready?.message.length).toBeLessThan(700);
});
