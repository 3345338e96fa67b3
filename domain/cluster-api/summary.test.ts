import { describe, expect, test } from 'vitest';
import { groupOf } from './names.ts';
import { summarise, summariseLegacy } from './summary.ts';

const yes = (type: string) => ({ type, status: 'True', reason: 'Done', message: 'well' }) as const;
const no = (type: string, message = '') => ({ type, status: 'False', reason: 'Broken', message }) as const;
const unknown = (type: string) => ({ type, status: 'Unknown', reason: 'Odd', message: '' }) as const;

describe('Ready', () => {
  test('is True, without a message, when all of them are', () => {
    expect(summarise(['A', 'B'], [yes('A'), yes('B'), no('C')])).toEqual({
      type: 'Ready',
      status: 'True',
      reason: 'Ready',
      message: '',
    });
  });
  test('is False when one of them is, with a line for each that is not True', () => {
    expect(summarise(['A', 'B', 'C', 'D'], [no('C', 'it broke'), no('A'), yes('B')])).toEqual({
      type: 'Ready',
      status: 'False',
      reason: 'NotReady',
      message: '* A: Broken\n* C: it broke\n* D: Condition not yet reported',
    });
  });
  test('is Unknown when one of them is and none is False', () => {
    expect(summarise(['A', 'B'], [unknown('A'), yes('B')])).toMatchObject({
      status: 'Unknown',
      reason: 'ReadyUnknown',
      message: '* A: Odd',
    });
  });
  test('indents messages of several lines', () => {
    expect(summarise(['A'], [no('A', '* B: x\n* C: y')]).message).toBe('* A:\n  * B: x\n  * C: y');
  });
});

describe('Ready in the older style', () => {
  const bad = (type: string, severity: 'Error' | 'Warning' | 'Info') =>
    ({ type, status: 'False', severity, reason: type, message: 'm' }) as const;
  test('is what the worst of them says, the first of those that are equally bad', () => {
    const claims = [bad('A', 'Info'), bad('B', 'Warning'), bad('C', 'Warning')];
    expect(summariseLegacy(['C', 'A', 'B'], claims)).toEqual({ ...bad('C', 'Warning'), type: 'Ready' });
    expect(summariseLegacy(['A', 'B'], [...claims, bad('B', 'Error')])).toMatchObject({ severity: 'Error' });
    expect(summariseLegacy(['A'], claims)).toMatchObject({ severity: 'Info' });
  });
  test('is True when all that there are are, and is not said when there are none', () => {
    expect(summariseLegacy(['A', 'B'], [{ type: 'A', status: 'True' }])).toEqual({ type: 'Ready', status: 'True' });
    expect(summariseLegacy(['A'], [])).toBeUndefined();
  });
});

test('the group of an API version is what is before the slash', () => {
  expect([undefined, 'v1', 'a.b/v1'].map(groupOf)).toEqual(['', '', 'a.b']);
});
