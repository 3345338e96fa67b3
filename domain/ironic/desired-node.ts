import type { BmcAddress } from '../bmc/address.ts';
import type { DriverInfo } from '../bmc/driver-info.ts';
import { accessChanges, isOtherAccount } from '../bmc/driver-info.ts';
import type { AgentImage } from '../preprovisioning/image.ts';
import { capabilities } from './capabilities.ts';
import { isLiveIso } from './deployment/image.ts';
import { nodeName } from './node/node.ts';
import type { IronicJson, NodeJson } from './node/node-json.ts';
import { type PatchOperation, patchFor, type WantedValues } from './node/patch.ts';
import { type IronicSupport, nodeFields } from './node-settings.ts';
import type { NodeOrder, RegisterOrder } from './orders.ts';

/** The deploy agent's images; for those that are absent, Ironic's own configuration is used. */
export interface DeployImages {
  readonly iso?: string;
  readonly kernel?: string;
  readonly ramdisk?: string;
}

/** Everything that determines the desired node. `driverInfo` contains the BMC's password. */
export interface DesiredNode extends IronicSupport {
  readonly order: NodeOrder & Pick<RegisterOrder, 'agentImage'>;
  readonly address: BmcAddress;
  /** null: the credentials are missing and Ironic keeps what it has. */
  readonly driverInfo: DriverInfo | null;
  readonly deployImages: DeployImages;
  readonly architecture: string;
  readonly networkData: IronicJson | undefined;
}

/** The complete body for creating the node, so that no patch is needed. */
export function newNode({ order, address, driverInfo, ...desired }: DesiredNode): IronicJson {
  return {
    name: nodeName(order.host),
    driver: address.kind.driver,
    ...interfaces(order, address),
    driver_info: { ...driverInfo, ...present(agentImages(address, desired.deployImages, order.agentImage)) },
    properties: { capabilities: capabilities('', order.bootMode), cpu_arch: desired.architecture },
    ...nodeFields(order, desired),
    ...(desired.networkData !== undefined && { network_data: desired.networkData }),
  };
}

const interfaces = (order: NodeOrder, address: BmcAddress): IronicJson => ({
  ...deployInterface(order, address),
  inspect_interface: inspectInterface(order, address),
  ...address.kind.interfaces,
});

/** True when Ironic reaches the BMC in another way than the host asks for, or with other credentials. */
export const isAccessOutdated = (
  current: NodeJson,
  driverInfo: DesiredNode['driverInfo'],
  credentialsChanged: boolean,
): boolean =>
  driverInfo !== null && (credentialsChanged || Object.keys(accessChanges(current.driver_info, driverInfo)).length > 0);

/** True when Ironic has another deploy agent image for the node than desired. */
export const isImageOutdated = (current: NodeJson, { order, address, deployImages }: DesiredNode): boolean =>
  order.agentImage != null &&
  patchFor(current, under('/driver_info', agentImages(address, deployImages, order.agentImage))).length > 0;

/** The built image can be booted with this BMC and is complete. */
export const isImageAcceptable = ({ order, address, deployImages }: DesiredNode): boolean =>
  order.agentImage?.image == null || Object.keys(agentImages(address, deployImages, order.agentImage)).length > 0;

/**
 * The changes to an existing node. Driver and interfaces stay as they were at its creation, unless Ironic has enrolled
 * the node by itself.
 */
export function nodeChanges(
  current: NodeJson,
  { order, address, driverInfo, ...desired }: DesiredNode,
  credentialsChanged: boolean,
): readonly PatchOperation[] {
  const images = agentImages(address, desired.deployImages, order.agentImage);
  return [
    ...(isEnrolledByIronic(current) ? driverOf(current, order, address) : []),
    ...driverInfoChanges(current, driverInfo, images, credentialsChanged),
    ...patchFor(current, {
      '/name': nodeName(order.host),
      ...under('', nodeFields(order, desired)),
      ...propertyChanges(current, order, desired.architecture),
      ...(desired.networkData !== undefined && { '/network_data': desired.networkData }),
    }),
  ];
}

/** Another BMC or login replaces driver_info as a whole: nothing that is left of the former BMC is used for this one. */
function driverInfoChanges(
  current: NodeJson,
  wanted: DesiredNode['driverInfo'],
  images: AgentImages,
  credentialsChanged: boolean,
): readonly PatchOperation[] {
  const access = wanted === null ? {} : accessChanges(current.driver_info, wanted);
  if (wanted === null || !(credentialsChanged || isOtherAccount(access)))
    return patchFor(current, under('/driver_info', { ...access, ...images }));
  const value = { ...kept(current.driver_info, images), ...wanted, ...present(images) };
  return [{ op: 'add', path: '/driver_info', value }];
}

/** Ironic enrolls a machine that it does not know without name and BMC, for the driver in its own configuration. */
const isEnrolledByIronic = ({ name, provision_state, driver_info }: NodeJson): boolean =>
  name === null && provision_state === 'enroll' && Object.keys(driver_info).length === 0;

/** Driver and interfaces as of a new node. */
function driverOf(current: NodeJson, order: NodeOrder, address: BmcAddress): readonly PatchOperation[] {
  return Object.entries({
    ...(current.driver !== address.kind.driver && { driver: address.kind.driver }),
    ...interfaces(order, address),
  }).map(([key, value]) => ({ op: 'add', path: `/${key}`, value }));
}

/** The changes before an inspection starts. */
export function inspectionChanges(
  current: NodeJson,
  order: NodeOrder,
  inspect: string,
  architecture: string,
): readonly PatchOperation[] {
  return patchFor(current, { ...propertyChanges(current, order, architecture), '/inspect_interface': inspect });
}

const propertyChanges = (current: NodeJson, order: NodeOrder, architecture: string): WantedValues => ({
  '/properties/capabilities': capabilities(current.properties['capabilities'], order.bootMode),
  '/properties/cpu_arch': architecture,
});

export const inspectInterface = (order: Pick<NodeOrder, 'inspectionMode'>, { kind }: BmcAddress): string =>
  kind.family === 'fake' || (order.inspectionMode === 'fast' && kind.fastInspection !== null)
    ? (kind.fastInspection ?? 'agent')
    : 'agent';

/** The deploy interface, only when the node is, or will be, deployed in another way than by writing an image. */
function deployInterface(order: NodeOrder, { kind }: BmcAddress): IronicJson {
  if (kind.family === 'fake') return {};
  if (order.customDeployMethod !== undefined) return { deploy_interface: 'custom-agent' };
  return isLiveIso(order) ? { deploy_interface: 'ramdisk' } : {};
}

type AgentImages = Readonly<Record<string, string | null>>;

const NO_IMAGES: AgentImages = {
  deploy_iso: null,
  deploy_kernel: null,
  deploy_ramdisk: null,
  kernel_append_params: null,
};

/** Keys of driver_info for the agent's images; null: to be removed. Empty when there are none. */
function agentImages(address: BmcAddress, configured: DeployImages, built: RegisterOrder['agentImage']): AgentImages {
  if (built !== undefined) return builtImages(address, configured, built.image);
  const { iso, kernel, ramdisk } = configured;
  if (address.kind.bootsIso && iso !== undefined) return { ...NO_IMAGES, deploy_iso: iso };
  if (kernel === undefined || ramdisk === undefined) return {};
  return { ...NO_IMAGES, deploy_kernel: kernel, deploy_ramdisk: ramdisk };
}

/** An initrd without its own kernel uses the operator's kernel; Ironic's own kernel parameters are kept. */
function builtImages({ kind }: BmcAddress, configured: DeployImages, image: AgentImage | null): AgentImages {
  if (image === null) return {};
  if (image.format === 'iso') return kind.bootsIso ? { ...NO_IMAGES, deploy_iso: image.url } : {};
  const kernel = image.kernelUrl ?? configured.kernel;
  if (kernel === undefined) return {};
  const more = image.extraKernelParams;
  return {
    ...NO_IMAGES,
    deploy_kernel: kernel,
    deploy_ramdisk: image.url,
    kernel_append_params: more === undefined ? null : `%default% ${more}`,
  };
}

const present = (images: AgentImages): IronicJson =>
  Object.fromEntries(Object.entries(images).filter(([, url]) => url !== null));

const under = (path: string, values: WantedValues): WantedValues =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [`${path}/${key}`, value]));

/** The part of driver_info that is not about the BMC, kept when the rest is replaced. */
function kept(driverInfo: IronicJson, images: AgentImages): IronicJson {
  const keys = ['force_persistent_boot_device', ...(Object.keys(images).length === 0 ? AGENT_KEYS : [])];
  return Object.fromEntries(Object.entries(driverInfo).filter(([key]) => keys.includes(key)));
}

const AGENT_KEYS = ['deploy_iso', 'deploy_kernel', 'deploy_ramdisk', 'kernel_append_params'];
