import { describe, expect, test } from 'vitest';
import { isBmcHost } from './address.ts';

describe('the host of a BMC', () => {
  test.each(['10.0.0.1', 'bmc', 'bmc-1.lab.example', '::', 'fe80::1', '::ffff:10.0.0.1'])('may be %s', (host) => {
    expect(isBmcHost(host)).toBe(true);
  });

  test.each(['', '-a', 'a-.b', 'a.', 'a..b', 'a_b', 'a b', 'a/b', ':::', '1::2::3', 'fe80::1%eth0', 'ä'])(
    'is not %s',
    (host) => {
      expect(isBmcHost(host)).toBe(false);
    },
  );
});
