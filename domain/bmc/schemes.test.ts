import { describe, expect, test } from 'vitest';
import { type BmcAddress, parseBmcAddress } from './address.ts';
import { driverInfo } from './driver-info.ts';
import { type HostDemands, refusal } from './requirements.ts';
import { BMC_KINDS } from './schemes.ts';

const parsed = (text: string): BmcAddress => {
  const result = parseBmcAddress(text, { fakeHardware: false });
  if (result.kind === 'invalid') throw new Error(result.message);
  return result.address;
};

const REDFISH = { raid_interface: 'redfish', firmware_interface: 'redfish' };
const IDRAC = {
  bios_interface: 'idrac-redfish',
  management_interface: 'idrac-redfish',
  power_interface: 'idrac-redfish',
  raid_interface: 'idrac-redfish',
  vendor_interface: 'idrac-redfish',
  firmware_interface: 'redfish',
};
const IPMI = { raid_interface: 'no-raid' };

/**
 * Scheme, driver, boot interface, the other interfaces, fast inspection, MAC, secure boot, ISO, provisioning network.
 */
const TABLE = [
  ['ipmi', 'ipmi', 'ipxe', IPMI, null, false, false, false, true],
  ['libvirt', 'ipmi', 'ipxe', IPMI, null, true, false, false, true],
  ['redfish', 'redfish', 'ipxe', REDFISH, 'redfish', false, true, false, true],
  ['ilo5-redfish', 'redfish', 'ipxe', REDFISH, 'redfish', false, true, false, true],
  ['redfish-virtualmedia', 'redfish', 'redfish-virtual-media', REDFISH, 'redfish', false, true, true, false],
  ['ilo5-virtualmedia', 'redfish', 'redfish-virtual-media', REDFISH, 'redfish', false, true, true, false],
  ['redfish-uefihttp', 'redfish', 'redfish-https', REDFISH, 'redfish', false, true, true, false],
  ['idrac-redfish', 'idrac', 'ipxe', IDRAC, 'redfish', false, true, false, true],
  ['idrac-virtualmedia', 'idrac', 'idrac-redfish-virtual-media', IDRAC, 'redfish', false, true, true, false],
] as const;

test('every scheme has its row', () => {
  expect(TABLE.map(([scheme]) => scheme).toSorted()).toEqual(Object.keys(BMC_KINDS).toSorted());
});

describe.each(TABLE)('a BMC of scheme %s', (scheme, driver, boot, interfaces, fast, mac, secure, iso, network) => {
  const { kind } = parsed(`${scheme}://bmc`);

  test('is driven by its driver with its interfaces, and no others', () => {
    expect([kind.driver, kind.interfaces]).toEqual([driver, { boot_interface: boot, ...interfaces }]);
  });

  test('can what it can', () => {
    expect([kind.fastInspection, kind.needsMac, kind.secureBoot, kind.bootsIso, kind.needsProvisioningNetwork]).toEqual(
      [fast, mac, secure, iso, network],
    );
  });

  test.each<[string, Partial<HostDemands>, boolean, string | undefined]>([
    [
      'fast inspection',
      { inspectionMode: 'fast' },
      false,
      fast === null ? `BMC driver ${scheme} does not support fast (out-of-band) inspection` : undefined,
    ],
    [
      'secure boot',
      { bootMode: 'UEFISecureBoot' },
      false,
      secure ? undefined : `BMC driver ${scheme} does not support secure boot`,
    ],
    [
      'to do without a provisioning network',
      {},
      true,
      network ? `BMC driver ${scheme} requires a provisioning network` : undefined,
    ],
  ])('is asked for %s', (_, demands, provisioningNetworkDisabled, expected) => {
    const host: HostDemands = {
      inspectionMode: 'agent',
      bootMode: 'UEFI',
      disablePowerOff: false,
      bootMACAddress: '52:54:00:00:00:01',
      ...demands,
    };
    const around = { provisioningNetworkDisabled, canKeepPowerOn: true };
    expect(refusal(parsed(`${scheme}://bmc`), host, around)).toBe(expected);
  });

  test.each([
    ['agent', mac],
    ['fast', mac && fast !== null],
    ['disabled', true],
  ] as const)('needs a MAC address with inspection mode %s: %s', (inspectionMode, needed) => {
    const host: HostDemands = { inspectionMode, bootMode: 'UEFI', disablePowerOff: false };
    const problem = refusal(parsed(`${scheme}://bmc`), host, {
      provisioningNetworkDisabled: false,
      canKeepPowerOn: true,
    });
    expect(problem?.endsWith('requires a BootMACAddress value') ?? false).toBe(needed);
  });

  test.each(['http', 'https'] as const)('may name transport %s when it has a choice', (transport) => {
    const result = parseBmcAddress(`${scheme}+${transport}://bmc`, { fakeHardware: false });
    const found = result.kind === 'ok' ? [result.address.transport, result.address.kind] : 'unknown';
    expect(found).toEqual(kind.family === 'ipmi' ? 'unknown' : [transport, kind]);
  });
});

const LOGIN = { username: 'admin', password: 'secret' };
const redfish = (address: string, system?: string) => ({
  redfish_address: address,
  ...(system !== undefined && { redfish_system_id: system }),
  redfish_username: 'admin',
  redfish_password: 'secret',
});
const ipmi = (address: string, port = '623', level = 'ADMINISTRATOR') => ({
  ipmi_address: address,
  ipmi_port: port,
  ipmi_username: 'admin',
  ipmi_password: 'secret',
  ipmi_priv_level: level,
});

describe('driver_info', () => {
  test.each([
    ['192.0.2.1', ipmi('192.0.2.1')],
    ['192.0.2.1:6230', ipmi('192.0.2.1', '6230')],
    ['ipmi://bmc', ipmi('bmc')],
    ['ipmi:bmc:6230', ipmi('bmc', '6230')],
    ['ipmi://[fd00::1]', ipmi('fd00::1')],
    ['ipmi://[fd00::1]:6230', ipmi('fd00::1', '6230')],
    ['libvirt://192.0.2.1:6230', ipmi('192.0.2.1', '6230')],
    ['ipmi://bmc?privilegelevel=OPERATOR', ipmi('bmc', '623', 'OPERATOR')],
    ['libvirt://bmc:6230?privilegelevel=USER', ipmi('bmc', '6230', 'USER')],
    ['redfish://bmc/redfish/v1/Systems/1', redfish('https://bmc', '/redfish/v1/Systems/1')],
    ['redfish:bmc/redfish/v1/Systems/1', redfish('https://bmc', '/redfish/v1/Systems/1')],
    ['redfish+http://bmc:8000/redfish/v1/Systems/1', redfish('http://bmc:8000', '/redfish/v1/Systems/1')],
    ['redfish+https://bmc:8443/redfish/v1/Systems/1', redfish('https://bmc:8443', '/redfish/v1/Systems/1')],
    ['redfish://[fd00::1]/redfish/v1/Systems/1', redfish('https://[fd00::1]', '/redfish/v1/Systems/1')],
    ['redfish://[fd00::1]:8443/x', redfish('https://[fd00::1]:8443', '/x')],
    ['redfish://bmc', redfish('https://bmc')],
    ['redfish://bmc/', redfish('https://bmc')],
    ['redfish://bmc/redfish/v1', redfish('https://bmc')],
    ['redfish://bmc/redfish/v1/', redfish('https://bmc')],
    ['ilo5-redfish://bmc/redfish/v1/Systems/1', redfish('https://bmc', '/redfish/v1/Systems/1')],
    ['redfish-virtualmedia+http://bmc/redfish/v1/', redfish('http://bmc')],
    ['ilo5-virtualmedia://bmc/redfish/v1/Systems/1', redfish('https://bmc', '/redfish/v1/Systems/1')],
    ['redfish-uefihttp://bmc', redfish('https://bmc', '')],
    ['redfish-uefihttp://bmc/redfish/v1/', redfish('https://bmc', '/redfish/v1/')],
    ['idrac-redfish+http://bmc/redfish/v1/Systems/S', redfish('http://bmc', '/redfish/v1/Systems/S')],
    ['idrac-virtualmedia://bmc', redfish('https://bmc')],
  ])('of %s', (text, expected) => {
    expect(driverInfo(parsed(text), LOGIN, false)).toEqual(expected);
  });

  test.each([
    ['ipmi://bmc', 'ipmi_verify_ca'],
    ['libvirt://bmc', 'ipmi_verify_ca'],
    ['redfish://bmc', 'redfish_verify_ca'],
    ['idrac-virtualmedia://bmc', 'redfish_verify_ca'],
  ])('of %s has it in %s when no certificate is to be verified', (text, key) => {
    expect(driverInfo(parsed(text), LOGIN, true)).toEqual({ ...driverInfo(parsed(text), LOGIN, false), [key]: false });
  });

  test("gives a BMC with IPv6 the address of Ironic's files", () => {
    const info = driverInfo(parsed('redfish-virtualmedia://[fd00::1]'), LOGIN, false, 'http://[fd00::2]:6180');
    expect(info).toEqual({ ...redfish('https://[fd00::1]'), external_http_url: 'http://[fd00::2]:6180' });
  });
});
