import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cpuTimeOf } from '../../test/builders/cpu-time.ts';
import { chooseVersion } from './client/api-version.ts';
import { errorText } from './client/error-text.ts';
import { redacted, textsIn } from './client/redact.ts';
import { wantedPorts } from './enroll/ports.ts';

describe('what Ironic says of an error', () => {
  const said = 'Node n is locked by host lab, please retry.';
  const fault = { faultcode: 'Client', faultstring: said, debuginfo: null };

  test.each([
    ['JSON in a string in JSON', JSON.stringify({ error_message: JSON.stringify(fault) })],
    ['an object', JSON.stringify({ error_message: fault })],
    ['a bare fault', JSON.stringify(fault)],
    ['a plain message', JSON.stringify({ error_message: said })],
    ['text', said],
    ['a page', `<!DOCTYPE html><html><head><title>${said}</title></head></html>`],
  ])('is found in %s', (_, body) => {
    expect(errorText(body, 409)).toBe(said);
  });

  test('is never empty, whatever the answer', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (body) => {
        expect(errorText(body, 500).trim()).not.toBe('');
      }),
    );
  });
});

describe('what a machine, its BMC or a tenant has Ironic say', () => {
  const lines = (count: number, begin = ''): string =>
    Array.from({ length: count }, (_, at) => `${begin}${at.toString(36)}`).join('\n');

  test('is not shown when its secrets have more lines than can be searched for', () => {
    expect(redacted('the password is hunter2', [`${lines(5_001, 'xyz')}\nhunter2`])).toBe(
      '(not shown, because it may quote secrets, which have more than 5000 lines)',
    );
  });

  test.each([
    ['many lines that it does not quote', 'x'.repeat(2_000), lines(4_900, 'abc')],
    ['many lines that it nearly quotes', 'a'.repeat(2_000), lines(4_900, 'aaa')],
    ['too many lines', 'a'.repeat(2_000), lines(150_000, 'aaa')],
    ['empty lines', 'a'.repeat(2_000), '\n'.repeat(1_000_000)],
    ['the same line', 'a'.repeat(2_000), 'abc\n'.repeat(250_000)],
    [
      'signs that are escaped',
      '"\'\\'.repeat(600),
      Array.from({ length: 4_900 }, (_, at) => `"'\\${'-'.repeat(at % 70)}${'"'.repeat(at / 70)}`).join('\n'),
    ],
  ])('is searched in milliseconds for a secret of %s', (_, text, secret) => {
    expect(cpuTimeOf(() => redacted(text, [secret]))).toBeLessThan(600);
  });

  test.each([
    ['pages with many titles', `<html>${'<title>'.repeat(150_000)}`],
    ['lists in lists', '['.repeat(1_000_000)],
    ['errors in errors', '{"error":'.repeat(100_000)],
    ['errors in texts', Array.from({ length: 12 }).reduce((text: string) => JSON.stringify({ error: text }), '"\\')],
    ['spaces', ' '.repeat(1_000_000)],
  ])('is read in milliseconds from %s', (_, body) => {
    expect(cpuTimeOf(() => errorText(body, 500))).toBeLessThan(240);
  });
});

describe('a secret', () => {
  test('that Ironic quotes is blotted out, however it is escaped', () => {
    const secret = `pa"ss'wo\\rd`;
    const quotes = [secret, JSON.stringify(secret), secret.replaceAll('\\', '\\\\').replaceAll("'", "\\'")];
    for (const quote of quotes) expect(redacted(`patch '${quote}' is wrong`, [secret])).not.toContain('wo');
  });

  test('of several lines is found line by line', () => {
    expect(redacted('not YAML: "  password: hunter2"', ['#cloud-config\n  password: hunter2\n'])).not.toContain(
      'hunter2',
    );
  });

  test('in a document is any of its texts', () => {
    expect(textsIn({ a: ['x', { b: 'y' }], c: 1, d: null })).toEqual(['x', 'y']);
  });
});

describe('the API version', () => {
  test.each([
    ['1.115', '1.110', ['canSeeMedia', 'canKeepPowerOn', 'tellsHealth', 'canAbortDeploy']],
    ['1.109', '1.109', ['canSeeMedia', 'canKeepPowerOn', 'tellsHealth']],
    ['1.108', '1.95', ['canSeeMedia', 'canKeepPowerOn']],
    ['1.94', '1.93', ['canSeeMedia']],
    ['1.89', '1.89', []],
  ])('with Ironic at %s is %s', (newest, header, abilities) => {
    const can = (name: string): boolean => abilities.includes(name);
    expect(chooseVersion(newest, 'http://ironic')).toEqual({
      header,
      canSeeMedia: can('canSeeMedia'),
      canKeepPowerOn: can('canKeepPowerOn'),
      tellsHealth: can('tellsHealth'),
      canAbortDeploy: can('canAbortDeploy'),
    });
  });

  test.each(['1.88', '2.0', 'unknown', ''])('is not there with Ironic at "%s"', (newest) => {
    expect(() => chooseVersion(newest, 'http://ironic')).toThrow(
      `Ironic at http://ironic speaks its API up to version '${newest}', 1.89 is needed at least`,
    );
  });
});

describe('the ports of a node', () => {
  test('are one for each MAC address, and the one to boot from boots', () => {
    const nics = [
      { mac: 'AA:00:00:00:00:01', ip: '10.0.0.1' },
      { mac: 'aa:00:00:00:00:01', ip: 'fd00::1' },
      { mac: 'aa:00:00:00:00:02', pxe: true },
      { name: 'no mac' },
    ];
    expect(wantedPorts('AA:00:00:00:00:01', { nics })).toEqual([
      { address: 'aa:00:00:00:00:01', pxe: true },
      { address: 'aa:00:00:00:00:02', pxe: true },
    ]);
  });
});
