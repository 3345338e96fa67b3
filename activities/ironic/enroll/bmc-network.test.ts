import { expect, test } from 'vitest';
import { isReachedByIpv6 } from './register.ts';

test.each([
  ['fd00::7', true],
  ['192.0.2.7', false],
  ['', false],
  ['nowhere.invalid', false],
])('a BMC at "%s" is reached by IPv6: %s', async (hostname, expected) => {
  expect(await isReachedByIpv6({ hostname })).toBe(expected);
});
