import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isIpLiteral, isIpv6 } from './ip.ts';

describe('an IP address in brackets', () => {
  test.each([
    'x',
    '%x',
    'fe80::1%',
    '1:2',
    '1:2:3:4:5:6:7:8:9',
    '1:2:3:4:5:6:7::8',
    '1::2::3',
    '12345::',
    ':1',
    '1:',
    'fe33:8xff',
    '1:2:1.2.3.4',
    '::1:2:3:4:5:6:7:1.2.3.4',
    '::256.2.3.4',
    '::01.2.3.4',
    '::1..3.4',
    '::1.2.3.4.5',
    '::1.2.3',
    '::1.2.3.x',
    '1.2.3',
    '1.2.3.4',
  ])('is not %s', (text) => {
    expect(isIpLiteral(text)).toBe(false);
  });

  test('is one of IPv6', () => {
    expect([isIpv6('fe80::1%eth0'), isIpLiteral('fe80::1%eth0')]).toEqual([false, true]);
    expect([isIpv6('::ffff:1.2.3.4'), isIpv6('::')]).toEqual([true, true]);
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        expect([isIpv6(address), isIpLiteral(address)]).toEqual([true, true]);
      }),
    );
  });
});
