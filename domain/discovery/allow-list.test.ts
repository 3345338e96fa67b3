import { describe, expect, test } from 'vitest';
import { aMachine } from '../../test/builders/discovery.ts';
import { type AllowList, parseBmcNetworks, parseMacPrefixes, parseRules, whyNotAllowed } from './allow-list.ts';

const allowing = ({ macs = '', bmcs = '', rules = '' }): AllowList => ({
  macPrefixes: parseMacPrefixes(macs),
  bmcNetworks: parseBmcNetworks(bmcs),
  rules: parseRules(rules),
});

describe('a machine is allowed', () => {
  test.each([
    ['by the vendor of its boot MAC address', { macs: 'aa:bb:cc, 52:54:00' }],
    ['by a MAC address in capital letters', { macs: '52:54:00:00:00:01'.toUpperCase() }],
    ['by any MAC address', { macs: '*' }],
    ['by the network of its BMC', { bmcs: '198.51.100.0/24,192.0.2.0/29' }],
    ['by the address of its BMC', { bmcs: '192.0.2.7' }],
    ['by vendor and memory', { rules: 'vendor=lab*,memory>=64' }],
    ['by one of several products', { rules: 'product=Blade*, product=*9' }],
    ['by a pattern with several gaps', { rules: 'product=R*c*9' }],
    ['by all that is said at once', { macs: '52', bmcs: '192.0.2.7/32', rules: 'cpus>=16,architecture=x86_64' }],
  ])('%s', (_, list) => {
    expect(whyNotAllowed(aMachine(), allowing(list))).toBeUndefined();
  });
});

describe('a machine is refused', () => {
  test.each([
    [
      'with another MAC address',
      { macs: '52:54:01' },
      'its boot MAC address 52:54:00:00:00:01 is not in the allow-list',
    ],
    ['with a BMC elsewhere', { bmcs: '192.0.2.8/29' }, 'its BMC address 192.0.2.7 is not in the allow-list'],
    ['with too little memory', { rules: 'memory>=65' }, 'its memory is not in the allow-list'],
    [
      'when one of several keys does not match',
      { rules: 'vendor=Lab*,serial=X*' },
      'its serial is not in the allow-list',
    ],
    ['when the parts of a pattern overlap', { rules: 'product=Rack*k 9' }, 'its product is not in the allow-list'],
    [
      'although its MAC address is allowed',
      { macs: '*', bmcs: '10.0.0.0/8' },
      'its BMC address 192.0.2.7 is not in the allow-list',
    ],
  ])('%s', (_, list, reason) => {
    expect(whyNotAllowed(aMachine(), allowing(list))).toBe(reason);
  });

  test('without a BMC address, when the list has networks', () => {
    expect(whyNotAllowed(aMachine({ bmcAddresses: [] }), allowing({ bmcs: '0.0.0.0/0' }))).toBe(
      'its BMC address (none) is not in the allow-list',
    );
  });
});

describe('a list that makes no sense is refused with words', () => {
  test.each([
    [() => parseMacPrefixes('52-54'), "'52-54' is no beginning of a MAC address"],
    [() => parseMacPrefixes('5'), "'5' is no beginning of a MAC address"],
    [() => parseBmcNetworks('192.0.2.0/33'), "'192.0.2.0/33' is no network"],
    [() => parseRules('colour=red'), "'colour=red' is no rule: vendor=pattern"],
    [() => parseRules('memory=64'), "'memory=64' is no rule"],
    [() => parseRules('vendor>=Lab'), "'vendor>=Lab' is no rule"],
    [() => parseRules('memory>=lots'), "'memory>=lots' is no rule"],
  ])('%#', (parse, message) => {
    expect(parse).toThrow(message);
  });
});
