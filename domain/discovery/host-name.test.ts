import { describe, expect, test } from 'vitest';
import { aMachine } from '../../test/builders/discovery.ts';
import { hostNames, problemOfPattern } from './host-name.ts';

const withSerial = (serialNumber: string) => aMachine({ hardware: { systemVendor: { serialNumber } } });

describe('the names of a discovered machine', () => {
  test.each([
    ['its MAC address', 'discovered-{mac}', aMachine(), ['discovered-525400000001']],
    ['its serial number', '{serial}', aMachine(), ['sn-7', 'sn-7-525400000001']],
    ['several placeholders', '{vendor}-{product}', aMachine(), ['lab-inc-rack-9', 'lab-inc-rack-9-525400000001']],
    [
      'the default where a placeholder has no value',
      'x-{serial}',
      aMachine({ hardware: {} }),
      ['discovered-525400000001'],
    ],
    ['the default where nothing of the value is left', '{serial}', withSerial('../../'), ['discovered-525400000001']],
    ['no path', '{serial}', withSerial('../secrets/x'), ['secrets-x', 'secrets-x-525400000001']],
  ])('have %s', (_, pattern, machine, names) => {
    expect(hostNames(pattern, machine)).toEqual(names);
  });

  test('fit into a label, however long the serial number is', () => {
    const names = hostNames('{serial}', withSerial(`${'x'.repeat(49)} ${'y'.repeat(400)}`));
    expect(names).toEqual([`${'x'.repeat(49)}-${'y'.repeat(13)}`, `${'x'.repeat(49)}-525400000001`]);
  });
});

describe('a pattern', () => {
  test.each(['discovered-{mac}', '{serial}', 'r1-{vendor}-{product}-{hostname}', 'machine'])(
    'such as %s is usable',
    (pattern) => {
      expect(problemOfPattern(pattern)).toBeUndefined();
    },
  );

  test.each([
    ['{uuid}', '{uuid} is not one of {mac}, {serial}, {vendor}, {product}, {hostname}'],
    ['{constructor}', '{constructor} is not one of'],
    ['Host-{mac}', 'must consist of lower case letters'],
    ['{mac}-', 'must consist of lower case letters'],
    ['{mac', 'must consist of lower case letters'],
    ['', 'must consist of lower case letters'],
  ])('"%s" is refused', (pattern, problem) => {
    expect(problemOfPattern(pattern)).toContain(problem);
  });
});
