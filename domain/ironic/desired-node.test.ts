import { describe, expect, test } from 'vitest';
import { parseBmcAddress } from '../bmc/address.ts';
import { driverInfo } from '../bmc/driver-info.ts';
import type { NodeOrder, RegisterOrder } from '../host/orders.ts';
import { deploymentChanges, deploySteps } from './deployment.ts';
import {
  type DesiredNode,
  inspectInterface,
  inspectionChanges,
  isImageAcceptable,
  isImageOutdated,
  newNode,
  nodeChanges,
} from './desired-node.ts';
import type { NodeJson } from './node-json.ts';

const anOrder = (order: Partial<NodeOrder> = {}): NodeOrder => ({
  host: { namespace: 'metal', name: 'host-1', uid: 'uid-1' },
  nodeId: '',
  bmc: {
    address: 'redfish-virtualmedia+http://bmc/redfish/v1/Systems/1',
    credentialsName: 's',
    disableCertificateVerification: false,
  },
  bootMode: 'UEFI',
  inspectionMode: 'agent',
  automatedCleaningMode: 'metadata',
  disablePowerOff: false,
  ...order,
});

function desired(order: Partial<NodeOrder> = {}, more: Partial<DesiredNode> = {}): DesiredNode {
  const wanted = anOrder(order);
  const parsed = parseBmcAddress(wanted.bmc.address, { fakeHardware: true });
  if (parsed.kind === 'invalid') throw new Error(parsed.message);
  return {
    order: wanted,
    address: parsed.address,
    driverInfo: driverInfo(parsed.address, { username: 'admin', password: 'secret' }, false),
    deployImages: { iso: 'http://images/agent.iso' },
    architecture: 'x86_64',
    networkData: undefined,
    canKeepPowerOn: true,
    ...more,
  };
}

/** The node as Ironic shows it after it was created so. */
const asShown = (wanted: DesiredNode, more: Partial<NodeJson> = {}): NodeJson => {
  const body = newNode(wanted);
  const driver_info = { ...(body['driver_info'] as object), redfish_password: '******' };
  return {
    uuid: 'n',
    provision_state: 'manageable',
    target_provision_state: null,
    power_state: null,
    target_power_state: null,
    last_error: null,
    maintenance: false,
    fault: null,
    health: null,
    boot_interface: null,
    instance_info: {},
    instance_uuid: null,
    network_data: {},
    deploy_interface: 'direct',
    raid_interface: 'redfish',
    inspection_finished_at: null,
    provision_updated_at: null,
    ...(body as unknown as Pick<
      NodeJson,
      'name' | 'driver' | 'properties' | 'automated_clean' | 'disable_power_off' | 'inspect_interface'
    >),
    driver_info,
    ...more,
  };
};

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

  test('is not told to keep its power on by an Ironic that does not know that', () => {
    expect(newNode(desired({}, { canKeepPowerOn: false }))).not.toHaveProperty('disable_power_off');
  });
});

describe('a known node', () => {
  test('has its access written anew, and nothing lost, when the credentials changed', () => {
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

  test('has its access written anew when its BMC moved', () => {
    const moved = desired({
      bmc: { ...anOrder().bmc, address: 'redfish-virtualmedia+http://new/redfish/v1/Systems/1' },
    });
    expect(nodeChanges(asShown(desired()), moved, false)).toMatchObject([
      { path: '/driver_info', value: { redfish_address: 'http://new', redfish_password: 'secret' } },
    ]);
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

  test('keeps its agent images when all else of its access is written anew', () => {
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

describe('before a deployment', () => {
  const image = { url: 'http://images/os.raw', checksum: 'abc', checksumType: 'sha256', format: 'raw' } as const;
  const persistent = { disk: 'Default', liveIso: 'Always' };
  const order = { ...anOrder(), image, retry: false };

  test('an empty node gets instance, image, disk and boot device', () => {
    expect(
      deploymentChanges(asShown(desired()), { ...order, rootDeviceHints: { deviceName: '/dev/sda' } }, persistent),
    ).toEqual([
      { op: 'add', path: '/instance_uuid', value: 'uid-1' },
      { op: 'add', path: '/instance_info/capabilities', value: {} },
      { op: 'add', path: '/instance_info/root_device', value: { name: 's== /dev/sda' } },
      { op: 'add', path: '/instance_info/image_source', value: 'http://images/os.raw' },
      { op: 'add', path: '/instance_info/image_disk_format', value: 'raw' },
      { op: 'add', path: '/instance_info/image_os_hash_algo', value: 'sha256' },
      { op: 'add', path: '/instance_info/image_os_hash_value', value: 'abc' },
      { op: 'add', path: '/driver_info/force_persistent_boot_device', value: 'Default' },
    ]);
  });

  test('a live ISO takes the place of an image', () => {
    const node = asShown(desired(), {
      instance_uuid: 'uid-1',
      instance_info: { capabilities: {}, image_source: 'x', image_checksum: 'y' },
      driver_info: { force_persistent_boot_device: 'Always' },
    });
    const live = { ...order, image: { url: 'http://live.iso', format: 'live-iso' as const } };
    expect(deploymentChanges(node, live, persistent)).toEqual([
      { op: 'remove', path: '/instance_info/image_source' },
      { op: 'add', path: '/instance_info/boot_iso', value: 'http://live.iso' },
      { op: 'remove', path: '/instance_info/image_checksum' },
      { op: 'add', path: '/deploy_interface', value: 'ramdisk' },
    ]);
  });

  test('an image after a live ISO brings back the usual way of deploying', () => {
    const node = asShown(desired(), { deploy_interface: 'ramdisk' });
    expect(deploymentChanges(node, order, persistent)).toContainEqual({ op: 'remove', path: '/deploy_interface' });
  });

  test('a custom deployment takes the place of the usual one, and leaves the boot device alone', () => {
    const custom = { ...anOrder(), customDeployMethod: 'install', retry: false };
    expect(deploymentChanges(asShown(desired()), custom, persistent)).toEqual([
      { op: 'add', path: '/instance_uuid', value: 'uid-1' },
      { op: 'add', path: '/instance_info/capabilities', value: {} },
      { op: 'add', path: '/deploy_interface', value: 'custom-agent' },
    ]);
  });

  test('a node without a machine is deployed in no way but its own', () => {
    const node = asShown(desired(), { deploy_interface: 'fake' });
    const paths = deploymentChanges(node, order, persistent).map(({ path }) => path);
    expect(paths).not.toContain('/deploy_interface');
  });

  test('secure boot is asked for the deployed system too', () => {
    const changes = deploymentChanges(asShown(desired()), { ...order, bootMode: 'UEFISecureBoot' }, persistent);
    expect(changes).toContainEqual({ op: 'add', path: '/instance_info/capabilities', value: { secure_boot: 'true' } });
  });

  test('the login for the registry goes with an image of one, and leaves with the next image', () => {
    const oci = { ...order, image: { url: 'oci://quay.io/os:1' } };
    const path = '/instance_info/image_pull_secret';
    expect(deploymentChanges(asShown(desired()), oci, persistent, 'me:secret')).toContainEqual({
      op: 'add',
      path,
      value: 'me:secret',
    });
    const before = asShown(desired(), { instance_info: { image_pull_secret: '******' } });
    expect(deploymentChanges(before, order, persistent)).toContainEqual({ op: 'remove', path });
  });

  test('a custom deployment with an image is told of it', () => {
    const custom = { ...order, customDeployMethod: 'install' };
    const node = asShown(desired(), {
      deploy_interface: 'ramdisk',
      instance_info: { boot_iso: 'x', image_checksum: 'y' },
    });
    expect(deploymentChanges(node, custom, persistent)).toEqual([
      { op: 'add', path: '/instance_uuid', value: 'uid-1' },
      { op: 'add', path: '/instance_info/capabilities', value: {} },
      { op: 'add', path: '/instance_info/image_source', value: 'http://images/os.raw' },
      { op: 'remove', path: '/instance_info/boot_iso' },
      { op: 'add', path: '/instance_info/image_disk_format', value: 'raw' },
      { op: 'remove', path: '/instance_info/image_checksum' },
      { op: 'add', path: '/instance_info/image_os_hash_algo', value: 'sha256' },
      { op: 'add', path: '/instance_info/image_os_hash_value', value: 'abc' },
      { op: 'add', path: '/deploy_interface', value: 'custom-agent' },
    ]);
  });

  test('an image after a custom deployment brings back the usual way of deploying', () => {
    const node = asShown(desired(), { deploy_interface: 'custom-agent' });
    expect(deploymentChanges(node, order, persistent)).toContainEqual({ op: 'remove', path: '/deploy_interface' });
  });

  test('a custom deployment has its step', () => {
    expect(deploySteps({ ...order, customDeployMethod: 'install' })).toEqual([
      { interface: 'deploy', step: 'install', args: {}, priority: 80 },
    ]);
    expect(deploySteps(order)).toEqual([]);
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
