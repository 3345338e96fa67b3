import { describe, expect, test } from 'vitest';
import { anOrder, asShown, desired } from '../../../test/builders/node.ts';
import { deploymentChanges, deploySteps } from './deployment.ts';

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

  test('an image after a live ISO restores the usual way of deploying', () => {
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

  test('secure boot is requested for the deployed system too', () => {
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

  test('a custom deployment with an image gets the image', () => {
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

  test('an image after a custom deployment restores the usual way of deploying', () => {
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
