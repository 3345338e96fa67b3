import { expect, test } from 'vitest';
import { macProblem } from './baremetalhost.ts';

test.each([
  '00:00:5e:00:53:01',
  '02:00:5E:10:00:00:00:01',
  '00-00-5e-00-53-01',
  '0000.5e00.5301',
  '0200.5e10.0000.0001',
  '00:00:00:00:fe:80:00:00:00:00:00:00:02:00:5e:10:00:00:00:01',
])('%s is a MAC address', (text) => {
  expect(macProblem(text)).toBeUndefined();
});

test.each(['00:00:00:00:00', '00:00-00:00:00:00', '0000.0000', 'x00:00:5e:00:53:01', '00:00:5e:00:53:01\n', ''])(
  '%j is none',
  (text) => {
    expect(macProblem(text)).toBe(`address ${text}: invalid MAC address`);
  },
);
