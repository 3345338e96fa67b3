import { capabilities, instanceCapabilities } from '../capabilities.ts';
import type { IronicJson, NodeJson } from '../node/node-json.ts';
import { type PatchOperation, patchFor } from '../node/patch.ts';
import { rootDevice } from '../node/root-device.ts';
import type { ProvisionOrder } from '../orders.ts';
import { imageInfo, isLiveIso } from './image.ts';

/** `driver_info.force_persistent_boot_device`, by what is deployed. */
export interface PersistentBootDevice {
  readonly disk: string;
  readonly liveIso: string;
}

/** The changes to a node before the next `active` deploys what the order asks for. */
export function deploymentChanges(
  current: NodeJson,
  order: ProvisionOrder,
  persistent: PersistentBootDevice,
  /** `user:password` for the image's registry. */
  imagePullSecret?: string,
): readonly PatchOperation[] {
  const instanceInfo: readonly (readonly [string, string | null])[] = Object.entries(imageInfo(order)).map(
    ([key, value]) => [`/instance_info/${key}`, value] as const,
  );
  return patchFor(current, {
    '/instance_uuid': order.host.uid,
    '/properties/capabilities': capabilities(current.properties['capabilities'], order.bootMode),
    '/instance_info/capabilities': instanceCapabilities(order.bootMode),
    '/instance_info/root_device': rootDevice(order.rootDeviceHints) ?? null,
    ...(Object.fromEntries(instanceInfo) as IronicJson),
    '/instance_info/image_pull_secret': imagePullSecret ?? null,
    ...deployInterface(current, order),
    ...(order.customDeployMethod === undefined && {
      '/driver_info/force_persistent_boot_device': isLiveIso(order) ? persistent.liveIso : persistent.disk,
    }),
  });
}

/**
 * The changes to an available node that was prepared for a deployment of this host, which nobody asked for any more
 * before it began: the description of the image may have a password or a signed URL. Ironic itself removes both when it
 * undeploys.
 */
export const withdrawalChanges = (current: NodeJson, uid: string): readonly PatchOperation[] =>
  current.instance_uuid === uid ? patchFor(current, { '/instance_uuid': null, '/instance_info': {} }) : [];

/** The matching deploy interface; null for the default after another way of deploying. */
function deployInterface({ deploy_interface: current }: NodeJson, order: ProvisionOrder): IronicJson {
  if (current === 'fake') return {};
  if (order.customDeployMethod !== undefined) return { '/deploy_interface': 'custom-agent' };
  if (isLiveIso(order)) return { '/deploy_interface': 'ramdisk' };
  return current === 'ramdisk' || current === 'custom-agent' ? { '/deploy_interface': null } : {};
}

/** The deploy step of a custom deployment, at the place where an image is usually written. */
export const deploySteps = ({ customDeployMethod }: ProvisionOrder): readonly IronicJson[] =>
  customDeployMethod === undefined ? [] : [{ interface: 'deploy', step: customDeployMethod, args: {}, priority: 80 }];
