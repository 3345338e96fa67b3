import { describe, expect, test } from 'vitest';
import { anOrder, asShown, desired } from '../../test/builders/node.ts';
import { driverInfo } from '../bmc/driver-info.ts';
import {
  type DesiredNode,
  inspectInterface,
  inspectionChanges,
  isAccessOutdated,
  isImageAcceptable,
  isImageOutdated,
  newNode,
  nodeChanges,
} from './desired-node.ts';
import type { RegisterOrder } from './orders.ts';

describe('a node that Ironic has enrolled by itself', () => {
  const enrolled = { name: null, provision_state: 'enroll', driver: 'fake-hardware', driver_info: {} };
  const paths = (change: object): readonly string[] =>
    nodeChanges(asShown(desired(), { ...enrolled, ...change }), desired(), false).map(({ path }) => path);

  test('gets driver, interfaces, access and name of the host in one patch', () => {
    const patch = nodeChanges(asShown(desired(), enrolled), desired(), false);
    const values = Object.fromEntries(patch.map((each) => [each.path, 'value' in each ? each.value : undefined]));
    expect(values).toMatchObject({
      '/driver': 'redfish',
      '/boot_interface': 'redfish-virtual-media',
      '/inspect_interface': 'agent',
      '/driver_info': { redfish_address: 'http://bmc', redfish_password: 'secret' },
      '/name': 'metal~host-1',
    });
  });

  test('keeps a driver that is right already, and gets the interfaces', () => {
    expect(paths({ driver: 'redfish' })).not.toContain('/driver');
    expect(paths({ driver: 'redfish' })).toContain('/boot_interface');
  });

  test.each([
    ['has a name', { name: 'metal~host-1' }],
    ['was verified', { provision_state: 'manageable' }],
    ['has an access', { driver_info: { redfish_address: 'http://elsewhere' } }],
  ])('is not meant when it %s: driver and interfaces stay', (_, change) => {
    expect(paths(change)).not.toContain('/driver');
    expect(paths(change)).not.toContain('/boot_interface');
  });
});

describe('a new node', () => {
  test('is created complete', () => {
    expect(newNode(desired())).toEqual({
      name: 'metal~host-1',
      driver: 'redfish',
      boot_interface: 'redfish-virtual-media',
      raid_interface: 'redfish',
      firmware_interface: 'redfish',
      inspect_interface: 'agent',
      driver_info: {
        redfish_address: 'http://bmc',
        redfish_system_id: '/redfish/v1/Systems/1',
        redfish_username: 'admin',
        redfish_password: 'secret',
        deploy_iso: 'http://images/agent.iso',
      },
      properties: { capabilities: 'boot_mode:uefi', cpu_arch: 'x86_64' },
      automated_clean: true,
      disable_power_off: false,
    });
  });

  test('leaves nothing to change', () => {
    const wanted = desired({ bootMode: 'UEFISecureBoot', automatedCleaningMode: 'disabled' });
    expect(nodeChanges(asShown(wanted), wanted, false)).toEqual([]);
  });

  test('of a host that runs a live ISO, or was deployed by a custom step, says so', () => {
    const live = newNode(desired({ image: { url: 'http://iso', format: 'live-iso' } }));
    const custom = newNode(desired({ customDeployMethod: 'install' }));
    expect([live['deploy_interface'], custom['deploy_interface']]).toEqual(['ramdisk', 'custom-agent']);
  });

  test('without a machine has nothing but fake interfaces', () => {
    const bmc = { ...anOrder().bmc, address: 'fake-hardware://a' };
    expect(newNode(desired({ bmc }))).toMatchObject({
      driver: 'fake-hardware',
      deploy_interface: 'fake',
      inspect_interface: 'fake',
      power_interface: 'fake',
    });
  });

  test('boots its agent from kernel and ramdisk where it can not boot an ISO', () => {
    const bmc = { ...anOrder().bmc, address: 'redfish://bmc' };
    const deployImages = { iso: 'http://iso', kernel: 'http://k', ramdisk: 'http://r' };
    const { driver_info } = newNode(desired({ bmc }, { deployImages }));
    expect(driver_info).toMatchObject({ deploy_kernel: 'http://k', deploy_ramdisk: 'http://r' });
    expect(driver_info).not.toHaveProperty('deploy_iso');
  });

  test('hands the network of its agent to Ironic', () => {
    expect(newNode(desired({}, { networkData: { links: [] } }))).toMatchObject({ network_data: { links: [] } });
  });

  test('gets no disable_power_off from an Ironic that does not support it', () => {
    expect(newNode(desired({}, { canKeepPowerOn: false }))).not.toHaveProperty('disable_power_off');
  });
});

describe('a known node', () => {
  test('gets a complete driver_info, and loses nothing, when the credentials changed', () => {
    const node = asShown(desired(), {
      driver_info: { ...asShown(desired()).driver_info, force_persistent_boot_device: 'Never', junk: 1 },
    });
    expect(nodeChanges(node, desired(), true)).toEqual([
      {
        op: 'add',
        path: '/driver_info',
        value: {
          redfish_address: 'http://bmc',
          redfish_system_id: '/redfish/v1/Systems/1',
          redfish_username: 'admin',
          redfish_password: 'secret',
          deploy_iso: 'http://images/agent.iso',
          force_persistent_boot_device: 'Never',
        },
      },
    ]);
  });

  test('gets a complete driver_info when its BMC moved', () => {
    const moved = desired({
      bmc: { ...anOrder().bmc, address: 'redfish-virtualmedia+http://new/redfish/v1/Systems/1' },
    });
    expect(nodeChanges(asShown(desired()), moved, false)).toMatchObject([
      { path: '/driver_info', value: { redfish_address: 'http://new', redfish_password: 'secret' } },
    ]);
  });

  const access = (address: string, disableVerification = false): DesiredNode => {
    const wanted = desired({ bmc: { ...anOrder().bmc, address } });
    return {
      ...wanted,
      driverInfo: driverInfo(wanted.address, { username: 'admin', password: 'secret' }, disableVerification),
    };
  };
  const here = anOrder().bmc.address;

  test.each<[string, DesiredNode, readonly object[]]>([
    [
      'another system',
      access('redfish-virtualmedia+http://bmc/redfish/v1/Systems/2'),
      [{ op: 'add', path: '/driver_info/redfish_system_id', value: '/redfish/v1/Systems/2' }],
    ],
    [
      'no system',
      access('redfish-virtualmedia+http://bmc'),
      [{ op: 'remove', path: '/driver_info/redfish_system_id' }],
    ],
    ['no verification', access(here, true), [{ op: 'add', path: '/driver_info/redfish_verify_ca', value: false }]],
  ])('gets %s as the only change, and is in order with it', (_, wanted, changes) => {
    const node = asShown(access(here), {
      driver_info: { ...asShown(access(here)).driver_info, redfish_auth_type: 'session' },
    });
    expect(isAccessOutdated(node, wanted.driverInfo, false)).toBe(true);
    expect(nodeChanges(node, wanted, false)).toEqual(changes);
    const after = asShown(wanted);
    expect(isAccessOutdated(after, wanted.driverInfo, false)).toBe(false);
    expect(nodeChanges(after, wanted, false)).toEqual([]);
  });

  test('gets its images in the same patch as the settings of its BMC', () => {
    const wanted = { ...access(here, true), deployImages: { iso: 'http://images/new.iso' } };
    expect(nodeChanges(asShown(access(here)), wanted, false)).toEqual([
      { op: 'add', path: '/driver_info/redfish_verify_ca', value: false },
      { op: 'add', path: '/driver_info/deploy_iso', value: 'http://images/new.iso' },
    ]);
  });

  test('gets a complete driver_info when Ironic has another user', () => {
    const node = asShown(desired(), { driver_info: { ...asShown(desired()).driver_info, redfish_username: 'root' } });
    expect(nodeChanges(node, desired(), false)).toMatchObject([
      { path: '/driver_info', value: { redfish_username: 'admin', redfish_password: 'secret' } },
    ]);
  });

  test('loses what is left of a BMC of another family', () => {
    const { driver_info } = asShown(desired());
    const node = asShown(desired(), { driver_info: { ...driver_info, ipmi_port: 6230 } });
    expect(nodeChanges(node, desired(), false)).toEqual([{ op: 'remove', path: '/driver_info/ipmi_port' }]);
  });

  test('keeps its driver and interfaces when its BMC is to be reached in another way', () => {
    const other = desired({ bmc: { ...anOrder().bmc, address: 'ipmi://bmc' } }, { deployImages: {} });
    expect(nodeChanges(asShown(desired()), other, false)).toMatchObject([
      { op: 'add', path: '/driver_info', value: { ipmi_address: 'bmc', ipmi_username: 'admin' } },
    ]);
    const idrac = desired({
      bmc: { ...anOrder().bmc, address: 'idrac-virtualmedia+http://bmc/redfish/v1/Systems/1' },
    });
    expect(nodeChanges(asShown(desired()), idrac, false)).toEqual([]);
  });

  test('gets the name of its host', () => {
    expect(nodeChanges(asShown(desired(), { name: null }), desired(), false)).toEqual([
      { op: 'add', path: '/name', value: 'metal~host-1' },
    ]);
  });

  test('keeps its agent images when none are configured', () => {
    expect(nodeChanges(asShown(desired()), desired({}, { deployImages: {} }), false)).toEqual([]);
  });

  test.each([{ kernel: 'http://k' }, { ramdisk: 'http://r' }])(
    'keeps its agent images where %j alone is configured, half of what it takes',
    (deployImages) => {
      expect(nodeChanges(asShown(desired()), desired({}, { deployImages }), false)).toEqual([]);
    },
  );

  test('drops an agent image that is no longer the way to boot', () => {
    const other = desired({}, { deployImages: { kernel: 'http://k', ramdisk: 'http://r' } });
    expect(nodeChanges(asShown(desired()), other, false)).toEqual([
      { op: 'remove', path: '/driver_info/deploy_iso' },
      { op: 'add', path: '/driver_info/deploy_kernel', value: 'http://k' },
      { op: 'add', path: '/driver_info/deploy_ramdisk', value: 'http://r' },
    ]);
  });

  test('keeps its access when the credentials are missing', () => {
    expect(nodeChanges(asShown(desired()), desired({}, { driverInfo: null }), true)).toEqual([]);
  });

  test('keeps its agent images when the rest of driver_info is replaced', () => {
    const [change] = nodeChanges(asShown(desired()), desired({}, { deployImages: {} }), true);
    expect(change).toMatchObject({ path: '/driver_info', value: { deploy_iso: 'http://images/agent.iso' } });
  });

  test('is given the network of its agent', () => {
    const wanted = desired({}, { networkData: { links: [] }, canKeepPowerOn: false });
    expect(nodeChanges(asShown(desired()), wanted, false)).toEqual([
      { op: 'add', path: '/network_data', value: { links: [] } },
    ]);
  });

  test('follows the spec', () => {
    const changed = desired(
      { bootMode: 'legacy', automatedCleaningMode: 'disabled', disablePowerOff: true },
      { architecture: 'aarch64' },
    );
    expect(nodeChanges(asShown(desired()), changed, false)).toEqual([
      { op: 'add', path: '/automated_clean', value: false },
      { op: 'add', path: '/disable_power_off', value: true },
      { op: 'add', path: '/properties/capabilities', value: 'boot_mode:bios' },
      { op: 'add', path: '/properties/cpu_arch', value: 'aarch64' },
    ]);
  });
});

describe('the inspection of a node', () => {
  test.each([
    ['redfish://h', 'agent', 'agent'],
    ['redfish://h', 'fast', 'redfish'],
    ['redfish://h', 'disabled', 'agent'],
    ['ipmi://h', 'fast', 'agent'],
    ['fake-hardware://h', 'agent', 'fake'],
  ] as const)('at %s, mode %s, is by %s', (address, inspectionMode, expected) => {
    const { order, address: parsed } = desired({ inspectionMode, bmc: { ...anOrder().bmc, address } });
    expect(inspectInterface(order, parsed)).toBe(expected);
  });
});

describe('before an inspection', () => {
  test('only what differs is changed', () => {
    const { order, address } = desired({ inspectionMode: 'fast' });
    const wanted = inspectInterface(order, address);
    expect(inspectionChanges(asShown(desired()), order, wanted, 'x86_64')).toEqual([
      { op: 'add', path: '/inspect_interface', value: 'redfish' },
    ]);
  });
});

describe('an image that was built for the host', () => {
  type Built = NonNullable<NonNullable<RegisterOrder['agentImage']>['image']>;
  const initrd: Built = { format: 'initrd', url: 'http://built/ramdisk', kernelUrl: 'http://built/kernel' };
  const withImage = (image: Built | null, address?: string, deployImages: DesiredNode['deployImages'] = {}) => {
    const wanted = desired(address === undefined ? {} : { bmc: { ...anOrder().bmc, address } }, {
      deployImages: { iso: 'http://images/agent.iso', ...deployImages },
    });
    return { ...wanted, order: { ...wanted.order, agentImage: { image, required: true } } };
  };
  const imagesOf = (wanted: DesiredNode) =>
    Object.fromEntries(
      Object.entries(newNode(wanted)['driver_info'] as object).filter(([key]) => /^(deploy|kernel)_/.test(key)),
    );

  test('takes the place of the configured one', () => {
    const wanted = withImage({ format: 'iso', url: 'http://built/agent.iso' });
    expect(imagesOf(wanted)).toEqual({ deploy_iso: 'http://built/agent.iso' });
    expect(isImageOutdated(asShown(desired()), wanted)).toBe(true);
    expect(isImageOutdated(asShown(wanted), wanted)).toBe(false);
  });

  test('boots with its own kernel, and with its parameters behind those of Ironic', () => {
    expect(imagesOf(withImage({ ...initrd, extraKernelParams: 'debug' }))).toEqual({
      deploy_kernel: 'http://built/kernel',
      deploy_ramdisk: 'http://built/ramdisk',
      kernel_append_params: '%default% debug',
    });
  });

  test('without a kernel boots with the configured one, and not at all without that', () => {
    const { kernelUrl: _, ...bare } = initrd;
    expect(imagesOf(withImage(bare, undefined, { kernel: 'http://images/kernel' }))).toMatchObject({
      deploy_kernel: 'http://images/kernel',
    });
    expect(isImageAcceptable(withImage(bare))).toBe(false);
  });

  test('is no ISO where the BMC boots none', () => {
    expect(isImageAcceptable(withImage({ format: 'iso', url: 'http://built/agent.iso' }, 'ipmi://10.0.0.1'))).toBe(
      false,
    );
  });

  test('that is not there yet leaves what Ironic knows', () => {
    const none = withImage(null);
    expect(imagesOf(none)).toEqual({});
    expect(nodeChanges(asShown(desired()), none, false)).toEqual([]);
    expect([isImageOutdated(asShown(desired()), none), isImageAcceptable(none)]).toEqual([false, true]);
  });
});
