import { describe, expect, test } from 'vitest';
import { type BmcAddress, parseBmcAddress } from './address.ts';
import { accessChanges, type DriverInfo, driverInfo, isOtherAccount } from './driver-info.ts';

const LOGIN = { username: 'admin', password: 'secret' };

function address(text: string): BmcAddress {
  const result = parseBmcAddress(text, { fakeHardware: true });
  if (result.kind === 'invalid') throw new Error(result.message);
  return result.address;
}

const info = (text: string, disableVerification = false) => driverInfo(address(text), LOGIN, disableVerification);

describe('driver_info', () => {
  test('of a Redfish BMC leads to one system', () => {
    expect(info('redfish+http://10.0.0.1:8000/redfish/v1/Systems/7', true)).toEqual({
      redfish_address: 'http://10.0.0.1:8000',
      redfish_system_id: '/redfish/v1/Systems/7',
      redfish_username: 'admin',
      redfish_password: 'secret',
      redfish_verify_ca: false,
    });
  });

  test.each(['redfish://h', 'redfish://h/', 'redfish://h/redfish/v1', 'idrac-redfish://h/redfish/v1/'])(
    'leaves the system to Ironic when the address names none: %s',
    (text) => {
      expect(info(text)).toEqual({
        redfish_address: 'https://h',
        redfish_username: 'admin',
        redfish_password: 'secret',
      });
    },
  );

  test('of a BMC that boots over HTTP always names the system', () => {
    expect(info('redfish-uefihttp://h/')['redfish_system_id']).toBe('/');
  });

  test('of IPMI has its defaults', () => {
    expect(info('ipmi://[fe80::1]')).toEqual({
      ipmi_address: 'fe80::1',
      ipmi_port: '623',
      ipmi_username: 'admin',
      ipmi_password: 'secret',
      ipmi_priv_level: 'ADMINISTRATOR',
    });
  });

  test('of IPMI has what the address says', () => {
    expect(info('ipmi://h:6230?privilegelevel=USER', true)).toMatchObject({
      ipmi_port: '6230',
      ipmi_priv_level: 'USER',
      ipmi_verify_ca: false,
    });
  });

  test('of IPMI is read as the first documents write it', () => {
    expect(info('ipmi://192.168.111.1:6231')).toMatchObject({ ipmi_address: '192.168.111.1', ipmi_port: '6231' });
    expect(info('ipmi://my-worker-0.ipmi.example.com')).toMatchObject({
      ipmi_address: 'my-worker-0.ipmi.example.com',
      ipmi_port: '623',
    });
  });

  test('of fake hardware holds no login', () => {
    expect(info('fake-hardware://a')).toEqual({ fake_address: 'a' });
  });
});

describe('the access of a node', () => {
  const redfish = info('redfish://h/redfish/v1/Systems/7');
  const ipmi = info('ipmi://h:6230');

  test.each<[string, Record<string, unknown>, DriverInfo, object]>([
    ['as wanted', redfish, redfish, {}],
    ['with a masked password', { ...redfish, redfish_password: '******' }, redfish, {}],
    ['with a port as a number', { ...ipmi, ipmi_port: 6230 }, ipmi, {}],
    [
      'with a boolean as a text',
      { ...redfish, redfish_verify_ca: 'False' },
      info('redfish://h/redfish/v1/Systems/7', true),
      {},
    ],
    ['with null for what is not wanted', { ...redfish, redfish_verify_ca: null }, redfish, {}],
    ['with keys that no host decides', { ...ipmi, ipmi_cipher_suite: '17', deploy_iso: 'http://iso' }, ipmi, {}],
    [
      'with another address',
      { ...redfish, redfish_address: 'https://other' },
      redfish,
      { redfish_address: 'https://h' },
    ],
    [
      'with another system',
      redfish,
      info('redfish://h/redfish/v1/Systems/8'),
      { redfish_system_id: '/redfish/v1/Systems/8' },
    ],
    ['with a system where none is named', redfish, info('redfish://h'), { redfish_system_id: null }],
    ['with another port', ipmi, info('ipmi://h:6231'), { ipmi_port: '6231' }],
    ['with another privilege level', ipmi, info('ipmi://h:6230?privilegelevel=USER'), { ipmi_priv_level: 'USER' }],
    ['that verifies', redfish, info('redfish://h/redfish/v1/Systems/7', true), { redfish_verify_ca: false }],
    ['that does not verify', info('ipmi://h:6230', true), ipmi, { ipmi_verify_ca: null }],
    ['with another user', { ...redfish, redfish_username: 'root' }, redfish, { redfish_username: 'admin' }],
    ['without a password', { ...redfish, redfish_password: undefined }, redfish, { redfish_password: 'secret' }],
    [
      'with the former address of images',
      { ...redfish, external_http_url: 'http://[fd00::2]:6180' },
      redfish,
      { external_http_url: null },
    ],
    [
      'of another family',
      { ...info('fake-hardware://a'), ipmi_verify_ca: false },
      info('redfish://h'),
      {
        fake_address: null,
        ipmi_verify_ca: null,
        redfish_address: 'https://h',
        redfish_username: 'admin',
        redfish_password: 'secret',
      },
    ],
  ])('%s', (_, current, wanted, expected) => {
    expect(accessChanges(current, wanted)).toEqual(expected);
  });

  test.each<[object, boolean]>([
    [{ redfish_address: 'https://h' }, true],
    [{ redfish_username: 'root' }, true],
    [{ ipmi_password: null }, true],
    [{ redfish_system_id: '/7', redfish_verify_ca: null, ipmi_port: '1', external_http_url: null }, false],
    [{}, false],
  ])('is of another account with %j: %s', (changes, expected) => {
    expect(isOtherAccount(changes)).toBe(expected);
  });
});
