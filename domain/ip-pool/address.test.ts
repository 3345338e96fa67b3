import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addressText, lastOfFamily, parseAddress, parseSubnet } from './address.ts';
import { addressName, prefixInName } from './names.ts';

const again = (text: string): string => addressText(parseAddress(text) ?? -1n);

describe('an address', () => {
  test.each([
    ['192.168.0.1', '192.168.0.1'],
    ['::ffff:10.0.0.1', '10.0.0.1'],
    ['FD00:0:0::0001', 'fd00::1'],
    ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1::', '1::'],
    ['::', '::'],
    ['::1.2.3.4', '::102:304'],
  ])('%s is written as %s', (text, written) => {
    expect(again(text)).toBe(written);
  });

  test.each(['', '10.0.0', '10.0.0.01', '10.0.0.256', 'fe80::1%eth0', '1::2::3', 'x'])('is not %j', (text) => {
    expect(parseAddress(text)).toBeUndefined();
  });

  test('is the same number however it is written', () => {
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (text) => {
        const address = parseAddress(text);
        expect(address).toBeDefined();
        expect(parseAddress(addressText(address ?? 0n))).toBe(address);
      }),
    );
  });

  test('ends with its family', () => {
    expect(
      [again('10.0.0.1'), again('fd00::1')].map((text) => addressText(lastOfFamily(parseAddress(text) ?? 0n))),
    ).toEqual(['255.255.255.255', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff']);
  });
});

describe('a subnet', () => {
  const shown = (text: string) => {
    const subnet = parseSubnet(text);
    return subnet && [subnet.written, subnet.first, subnet.last].map(addressText);
  };

  test.each([
    ['192.168.1.1/26', ['192.168.1.1', '192.168.1.0', '192.168.1.63']],
    ['10.1.2.3/32', ['10.1.2.3', '10.1.2.3', '10.1.2.3']],
    ['10.1.2.3/0', ['10.1.2.3', '0.0.0.0', '255.255.255.255']],
    ['fd00::5/64', ['fd00::5', 'fd00::', 'fd00::ffff:ffff:ffff:ffff']],
  ])('%s is %j', (text, addresses) => {
    expect(shown(text)).toEqual(addresses);
  });

  test.each(['10.0.0.0', '10.0.0.0/33', 'fd00::/129', '10.0.0.0/', '10.0.0/8', '10.0.0.0/08'])('is not %s', (text) => {
    expect(parseSubnet(text)).toBeUndefined();
  });
});

describe('the name of an IPAddress', () => {
  test.each([
    ['192.168.1.2', 'p-192-168-1-2'],
    ['fd00::1', 'p-fd00--1'],
    ['::1', 'p---1'],
    ['2001:db8::', 'p-2001-db8'],
  ])('for %s is %s', (text, name) => {
    const address = parseAddress(text) ?? 0n;
    expect(addressName('p', address)).toBe(name);
    expect(prefixInName(name, address)).toBe('p');
  });

  test('tells no prefix when it is another', () => {
    expect(prefixInName('mine', parseAddress('10.0.0.1') ?? 0n)).toBeUndefined();
    expect(prefixInName('-10-0-0-1', parseAddress('10.0.0.1') ?? 0n)).toBeUndefined();
    expect(prefixInName('p', parseAddress('::') ?? 0n)).toBeUndefined();
  });
});
