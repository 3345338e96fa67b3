import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { capabilities } from './capabilities.ts';
import { configDrive } from './deployment/config-drive.ts';
import { nodeFacts } from './node/facts.ts';
import { patchFor } from './node/patch.ts';
import { rootDevice } from './node/root-device.ts';

describe('root device hints', () => {
  test("become comparisons in Ironic's format", () => {
    expect(
      rootDevice({
        deviceName: '/dev/sda',
        hctl: '0:0:0:0',
        model: 'Flash',
        vendor: 'Lab',
        serialNumber: 'S1',
        minSizeGigabytes: 40,
        wwn: '0x1',
        wwnWithExtension: '0x12',
        wwnVendorExtension: '0x2',
        rotational: false,
      }),
    ).toEqual({
      name: 's== /dev/sda',
      hctl: 's== 0:0:0:0',
      model: '<in> Flash',
      vendor: '<in> Lab',
      serial: 's== S1',
      size: '>= 40',
      wwn: 's== 0x1',
      wwn_with_extension: 's== 0x12',
      wwn_vendor_extension: 's== 0x2',
      rotational: 'false',
    });
  });

  test('tell a link by path from a device name', () => {
    expect(rootDevice({ deviceName: '/dev/disk/by-path/pci-1' })).toEqual({ by_path: 's== /dev/disk/by-path/pci-1' });
  });

  test.each([undefined, {}, { minSizeGigabytes: 0 }, { deviceName: '' }])(
    'that ask for nothing are none: %o',
    (hints) => {
      expect(rootDevice(hints)).toBeUndefined();
    },
  );
});

describe('capabilities', () => {
  test.each([
    ['UEFI', 'boot_mode:uefi'],
    ['UEFISecureBoot', 'boot_mode:uefi,secure_boot:true'],
    ['legacy', 'boot_mode:bios'],
  ] as const)('of boot mode %s', (mode, expected) => {
    expect(capabilities('', mode)).toBe(expected);
  });

  test("leave other people's alone and replace ours", () => {
    expect(capabilities('cpu_vt:true,boot_mode:bios,secure_boot:true,a:b', 'UEFI')).toBe(
      'cpu_vt:true,a:b,boot_mode:uefi',
    );
  });

  test.each([undefined, null, 7])('that are no text are begun anew: %s', (before) => {
    expect(capabilities(before, 'legacy')).toBe('boot_mode:bios');
  });

  test('once set stay as they are', () => {
    fc.assert(
      fc.property(fc.string(), fc.constantFrom('UEFI', 'UEFISecureBoot', 'legacy'), (before, mode) => {
        const once = capabilities(before, mode);
        expect(capabilities(once, mode)).toBe(once);
      }),
    );
  });
});

describe('a patch', () => {
  const node = { name: 'a', driver_info: { deploy_iso: 'x', 'odd/key': 1 }, properties: {}, instance_uuid: null };

  test('has the differences only', () => {
    expect(
      patchFor(node, {
        '/name': 'a',
        '/driver_info/deploy_iso': 'y',
        '/driver_info/deploy_kernel': null,
        '/driver_info/odd~1key': null,
        '/properties/cpu_arch': 'x86_64',
        '/instance_uuid': null,
      }),
    ).toEqual([
      { op: 'add', path: '/driver_info/deploy_iso', value: 'y' },
      { op: 'remove', path: '/driver_info/odd~1key' },
      { op: 'add', path: '/properties/cpu_arch', value: 'x86_64' },
    ]);
  });

  test('of a field below a value that is no object adds it', () => {
    expect(patchFor({ name: 'a' }, { '/name/first': 1 })).toEqual([{ op: 'add', path: '/name/first', value: 1 }]);
  });

  test('is empty without differences, in any order of keys', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z]+$/), fc.jsonValue()), (info) => {
        const reversed = Object.fromEntries(Object.entries(info).toReversed());
        expect(patchFor({ info }, { '/info': reversed })).toEqual([]);
      }),
    );
  });
});

describe('the config drive', () => {
  const host = { namespace: 'metal', name: 'host-1', uid: 'uid-1' };
  const defaults = {
    uuid: 'uid-1',
    'metal3-namespace': 'metal',
    'metal3-name': 'host-1',
    'local-hostname': 'host-1',
    local_hostname: 'host-1',
    name: 'host-1',
  };

  test('gives the host its identity when there is no metadata', () => {
    expect(configDrive(host, {})).toEqual({ meta_data: defaults });
  });

  test('puts what users say over that', () => {
    expect(
      configDrive(host, {
        userData: '#cloud-config',
        metaData: { name: 'other', rack: 7 },
        networkData: { links: [] },
      }),
    ).toEqual({
      meta_data: { ...defaults, name: 'other', rack: 7 },
      network_data: { links: [] },
      user_data: '#cloud-config',
    });
  });
});

describe('facts of a node', () => {
  const node = {
    uuid: 'n',
    name: null,
    provision_state: 'active',
    target_provision_state: null,
    power_state: 'power on',
    target_power_state: '',
    last_error: '',
    maintenance: false,
    fault: null,
    boot_interface: 'ipxe',
    health: 'OK',
  };

  test('are read from a list', () => {
    expect(nodeFacts(node)).toEqual({
      id: 'n',
      state: 'active',
      targetState: null,
      poweredOn: true,
      powerPending: false,
      lastError: null,
      maintenance: false,
      fault: null,
      health: 'OK',
    });
  });

  test.each(['error', null, 'rebooting'])('do not claim to know the power %s', (power_state) => {
    expect(nodeFacts({ ...node, power_state }).poweredOn).toBeNull();
  });

  test('tell of a change on its way, an error and a fault', () => {
    const busy = { ...node, target_power_state: 'power off', last_error: 'no BMC', fault: 'power failure' };
    expect(nodeFacts(busy)).toMatchObject({ powerPending: true, lastError: 'no BMC', fault: 'power failure' });
    expect(nodeFacts({ ...node, target_power_state: null, last_error: null, fault: '' })).toMatchObject({
      powerPending: false,
      lastError: null,
      fault: null,
    });
  });

  test('shorten an error that is a book', () => {
    expect(nodeFacts({ ...node, last_error: 'x'.repeat(100_000) }).lastError?.length).toBeLessThan(2_100);
  });
});
