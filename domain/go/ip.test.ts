import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ipLiteralProblem, isIpv6 } from './ip.ts';

describe('an IP address in brackets', () => {
  test.each([
    ['x', 'unable to parse IP'],
    ['%x', 'missing IPv6 address'],
    ['fe80::1%', 'zone must be a non-empty string'],
    ['1:2', 'address string too short'],
    ['1:2:3:4:5:6:7:8:9', 'trailing garbage after address (at "9")'],
    ['1:2:3:4:5:6:7::8', 'the :: must expand to at least one field of zeros'],
    ['1::2::3', 'multiple :: in address (at ":3")'],
    ['12345::', 'each group must have 4 or less digits (at "12345::")'],
    [':1', 'each colon-separated field must have at least one digit (at ":1")'],
    ['1:', 'colon must be followed by more characters (at ":")'],
    ['fe33:8xff', 'unexpected character, want colon (at "xff")'],
    ['1:2:1.2.3.4', 'embedded IPv4 address must replace the final 2 fields of the address (at "1.2.3.4")'],
    ['::1:2:3:4:5:6:7:1.2.3.4', 'too many hex fields to fit an embedded IPv4 at the end of the address (at "1.2.3.4")'],
    ['::256.2.3.4', 'IPv4 field has value >255'],
    ['::01.2.3.4', 'IPv4 field has octet with leading zero'],
    ['::1..3.4', 'IPv4 field must have at least one digit (at ".3.4")'],
    ['::1.2.3.4.5', 'IPv4 address too long'],
    ['::1.2.3', 'IPv4 address too short'],
    ['::1.2.3.x', 'unexpected character (at "x")'],
    ['1.2.3', 'IPv4 address too short'],
  ])('that makes no sense says why: %s', (text, message) => {
    expect(ipLiteralProblem(text)).toBe(`invalid host: ParseAddr("${text}"): ${message}`);
  });

  test('is one of IPv6', () => {
    expect(ipLiteralProblem('1.2.3.4')).toBe('invalid IP-literal');
    expect(isIpv6('fe80::1%eth0')).toBe(false);
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        expect([isIpv6(address), ipLiteralProblem(address)]).toEqual([true, undefined]);
      }),
    );
  });
});
