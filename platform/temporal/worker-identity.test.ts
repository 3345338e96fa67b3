import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { processIn, workerIdentity } from './worker-identity.ts';

test('a process has a name in Temporal that tells its version', () => {
  expect(processIn(workerIdentity())).toEqual({
    process: `${process.pid}@${hostname()}`,
    version: expect.stringMatching(/^\d+\.\d+\.\d+/) as string,
  });
});

test('a name that another program has given itself tells no version', () => {
  expect(processIn('17@host')).toBeUndefined();
  expect(processIn('')).toBeUndefined();
});
