import { afterEach, beforeEach } from 'vitest';

/**
 * Holds what code writes to stderr during a test, and shows it when the test has failed: tests of refusals and failures
 * make libraries print errors that are none. `silent` of vitest does so for the console alone.
 */
const write = process.stderr.write.bind(process.stderr);
let held: string[] = [];

beforeEach(() => {
  held = [];
  process.stderr.write = (text: string | Uint8Array): boolean => {
    held.push(typeof text === 'string' ? text : Buffer.from(text).toString());
    return true;
  };
});

afterEach(({ task }) => {
  process.stderr.write = write;
  if (task.result?.state === 'fail') process.stderr.write(held.join(''));
});
