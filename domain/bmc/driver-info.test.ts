import { describe, expect, test } from 'vitest';
import { type BmcAddress, parseBmcAddress } from './address.ts';
import { driverInfo, leadsElsewhere } from './driver-info.ts';

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

describe('a node', () => {
  const wanted = info('redfish://h/redfish/v1/Systems/7');

  test('leads elsewhere when its address differs', () => {
    expect(leadsElsewhere({ ...wanted, redfish_address: 'https://other' }, wanted)).toBe(true);
  });

  test('leads where it should although its password is masked', () => {
    expect(leadsElsewhere({ ...wanted, redfish_password: '******' }, wanted)).toBe(false);
  });
});
