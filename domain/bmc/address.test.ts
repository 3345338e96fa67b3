import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type BmcAddress, parseBmcAddress } from './address.ts';
import { BMC_KINDS } from './schemes.ts';

const parse = (text: string, fakeHardware = false) => parseBmcAddress(text, { fakeHardware });

function parsed(text: string): Partial<BmcAddress> {
  const result = parse(text);
  if (result.kind === 'invalid') throw new Error(result.message);
  const { type, transport, host, hostname, port, path } = result.address;
  return { type, transport, host, hostname, port, path };
}

describe('a BMC address', () => {
  test('of a Redfish BMC has transport, host and system', () => {
    expect(parsed('redfish-virtualmedia+http://10.0.0.7:8000/redfish/v1/Systems/abc')).toEqual({
      type: 'redfish-virtualmedia+http',
      transport: 'http',
      host: '10.0.0.7:8000',
      hostname: '10.0.0.7',
      port: '8000',
      path: '/redfish/v1/Systems/abc',
    });
  });

  test('without a transport is reached by https', () => {
    expect(parsed('idrac-virtualmedia://bmc.example/redfish/v1/Systems/1').transport).toBe('https');
  });

  test.each([
    ['192.168.122.1', '192.168.122.1', ''],
    ['192.168.122.1:6233', '192.168.122.1', '6233'],
    ['[fe80::fc33:62ff:fe83:8a76]:6233', 'fe80::fc33:62ff:fe83:8a76', '6233'],
    ['bmc-7.example', 'bmc-7.example', ''],
  ])('without a scheme is IPMI: %s', (text, hostname, port) => {
    expect(parsed(text)).toMatchObject({ type: 'ipmi', hostname, port });
  });

  test('may leave out the slashes after the scheme', () => {
    expect(parsed('libvirt:192.168.122.1:6233/?abc=def')).toMatchObject({
      type: 'libvirt',
      hostname: '192.168.122.1',
      port: '6233',
    });
  });

  test('keeps the brackets of IPv6 in the host and not in its name', () => {
    expect(parsed('redfish://[::1]:443/x')).toMatchObject({ host: '[::1]:443', hostname: '::1' });
  });

  test('is understood whatever the case of its scheme', () => {
    expect(parsed('Redfish+HTTP://h/').type).toBe('redfish+http');
  });

  test('names the privilege level of IPMI in its query', () => {
    const result = parse('ipmi://h?a=b&privilegelevel=OPERATOR#x');
    expect(result.kind === 'ok' && result.address.privilegeLevel).toBe('OPERATOR');
  });

  test.each([
    ['foo://10.0.0.1', "Unknown BMC type 'foo' for address foo://10.0.0.1"],
    ['test:127.0.1.1', "Unknown BMC type 'test' for address test:127.0.1.1"],
    ['bmc-7.example:6233', "Unknown BMC type 'bmc-7.example' for address bmc-7.example:6233"],
    ['ipmi+https://h', "Unknown BMC type 'ipmi+https' for address ipmi+https://h"],
    ['redfish+ftp://h', "Unknown BMC type 'redfish+ftp' for address redfish+ftp://h"],
    ['fake-hardware://a', "Unknown BMC type 'fake-hardware' for address fake-hardware://a"],
    [
      '-h.example.org',
      'failed to parse BMC address information: BMC address hostname/IP : [-h.example.org] is invalid',
    ],
    ['ipmi://h+1.org', 'failed to parse BMC address information: BMC address hostname/IP : [h+1.org] is invalid'],
    [
      'redfish://my host/x',
      'failed to parse BMC address information: BMC address hostname/IP : [redfish://my host/x] is invalid',
    ],
    ['redfish://h:x/', 'failed to parse BMC address information: "redfish://h:x/" is not a valid URL'],
    ['[fe80::1]', 'failed to parse BMC address information: "[fe80::1]" is not a valid URL'],
    [
      'ipmi://[fe80::xff]:6223',
      'failed to parse BMC address information: "ipmi://[fe80::xff]:6223" is not a valid URL',
    ],
  ])('that makes no sense says why: %s', (text, problem) => {
    expect(parse(text)).toEqual({
      kind: 'invalid',
      problem,
      message: `failed to parse BMC address information: ${problem}`,
    });
  });

  test('may have a user name, which counts for nothing, and a path with percent signs', () => {
    expect(parsed('redfish://me@h/a%20b')).toMatchObject({ host: 'h', path: '/a b' });
  });

  test('may have an empty host, as upstream lets it', () => {
    expect(parsed('redfish://')).toMatchObject({ host: '', hostname: '' });
  });

  test('of fake hardware counts where that is allowed', () => {
    const result = parse('fake-hardware://node-1', true);
    expect(result.kind === 'ok' && [result.address.kind.driver, result.address.hostname]).toEqual([
      'fake-hardware',
      'node-1',
    ]);
  });
});

describe('any text at all', () => {
  test('is either an address or explained, and never an exception', () => {
    const nearly = fc
      .tuple(
        fc.constantFrom(...Object.keys(BMC_KINDS), 'x', ''),
        fc.constantFrom('://', ':', '+http://', '//', ''),
        fc.string(),
      )
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), nearly), (text) => {
        const result = parse(text, true);
        const outcome = result.kind === 'invalid' ? result.message : `driver ${result.address.kind.driver}`;
        expect(outcome).toMatch(/^(failed to parse BMC address information: .|driver .)/s);
      }),
    );
  });

  test('that is a host name is found again in every Redfish scheme', () => {
    const redfish = Object.entries(BMC_KINDS).flatMap(([scheme, { family }]) => (family === 'redfish' ? [scheme] : []));
    fc.assert(
      fc.property(fc.constantFrom(...redfish), fc.domain(), fc.nat(65_535), (scheme, host, port) => {
        expect(parsed(`${scheme}+https://${host}:${port}/redfish/v1/Systems/1`)).toEqual({
          type: `${scheme}+https`,
          transport: 'https',
          host: `${host}:${port}`,
          hostname: host,
          port: String(port),
          path: '/redfish/v1/Systems/1',
        });
      }),
    );
  });
});
