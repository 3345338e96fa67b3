import { ApplicationFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { cleanErrors } from './worker.ts';

const thrownBy = (error: unknown): Promise<unknown> =>
  Promise.resolve(cleanErrors.execute?.({ args: [], headers: {} }, () => Promise.reject(error as Error))).catch(
    (thrown: unknown) => thrown,
  );

test('the error of an activity, and its causes, have no secrets of URLs, and it stays the same error', async () => {
  const cause: Error & { cause?: unknown } = new Error('no http://me:canary@images/a');
  cause.cause = cause;
  const error = ApplicationFailure.create({ type: 'T', nonRetryable: true, message: 'no http://i/a?canary', cause });
  expect(await thrownBy(error)).toBe(error);
  expect(error).toMatchObject({ type: 'T', nonRetryable: true, message: 'no http://i/a?***' });
  expect(cause.message).toBe('no http://***@images/a');
  expect(`${error.stack}${cause.stack}`).not.toContain('canary');
});

test('an answer, and what is no error, pass', async () => {
  expect(await cleanErrors.execute?.({ args: [], headers: {} }, () => Promise.resolve('http://me@i'))).toBe(
    'http://me@i',
  );
  expect(await thrownBy('text')).toBe('text');
});
