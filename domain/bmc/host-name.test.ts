import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isBmcHost, isIpv6 } from './host-name.ts';

describe('the host of a BMC', () => {
  test.each(['10.0.0.1', 'bmc', 'bmc_1.lab.example', 'a.b.', '::', 'fe80::1', '::ffff:10.0.0.1'])(
    'may be %s',
    (host) => {
      expect(isBmcHost(host)).toBe(true);
    },
  );

  test.each(['', '-a', 'a..b', 'a b', 'a/b', '1:2', ':::', '1::2::3', 'fe80::1%eth0', '::ffff:10.0.0.256', 'ä'])(
    'is not %s',
    (host) => {
      expect(isBmcHost(host)).toBe(false);
    },
  );

  test('may be any IPv6 address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        expect(isIpv6(address)).toBe(true);
      }),
    );
  });
});
