import { expect, test } from 'vitest';
import { withFailingRequest } from './failing-request.ts';

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
