import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
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
