import { describe, expect, test } from 'vitest';
import { KubeError } from './client.ts';
import { whileContended } from './contended.ts';

const refused = (status: number, reason: string): KubeError => new KubeError('PATCH /x', status, { reason });

/** Throws each of the errors in turn, then returns the number of calls. */
function failing(...errors: readonly Error[]): (attempt: number) => Promise<number> {
  let asked = 0;
  return () => {
    const error = errors[asked];
    asked += 1;
    return error === undefined ? Promise.resolve(asked) : Promise.reject(error);
  };
}

describe('a change with a conflict', () => {
  test('is made again at once, with the object as it is by then', async () => {
    const conflict = refused(409, 'Conflict');
    expect(await whileContended(failing(conflict, conflict))).toBe(3);
  });

  test.each([refused(409, 'AlreadyExists'), refused(403, 'Forbidden')])('is not made again after %s', async (error) => {
    await expect(whileContended(failing(error))).rejects.toBe(error);
  });
});
