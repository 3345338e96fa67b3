import { lookup } from 'node:dns/promises';
import { isIPv6 } from 'node:net';
import { type BmcAddress, parseBmcAddress } from '../../../domain/bmc/address.ts';
import { type BmcLogin, driverInfo } from '../../../domain/bmc/driver-info.ts';
import { refusal } from '../../../domain/bmc/requirements.ts';
import {
  type DesiredNode,
  isAccessOutdated,
  isImageAcceptable,
  isImageOutdated,
  newNode,
  nodeChanges,
} from '../../../domain/ironic/desired-node.ts';
import { registerMove } from '../../../domain/ironic/moves/register.ts';
import { nodeFacts } from '../../../domain/ironic/node/facts.ts';
import { isOfOther, nodeName } from '../../../domain/ironic/node/node.ts';
import type { IronicJson, NodeJson } from '../../../domain/ironic/node/node-json.ts';
import type { RegisterAnswer, RegisterOrder, SecretSeen } from '../../../domain/ironic/orders.ts';
import { imageUrlProblem } from '../../../domain/urls/image-url.ts';
import { DocumentError, isUsersFault, readNetworkData } from '../../documents/users-document.ts';
import { isIronicRefusal, isNodeGone, nodeBusy } from '../client/errors.ts';
import type { Tools } from '../tools.ts';
import { inTurn, type NodeTurn, patched } from '../turn.ts';
import { addPorts, wantedPorts } from './ports.ts';

export interface BmcAccess {
  /** null: unknown, which is no error because the host is being deleted. */
  readonly login: BmcLogin | null;
  readonly version: string;
  /** Message of a policy that forbids to mark the Secret. */
  readonly refusal?: string;
}

/** Registers the node in Ironic with the desired settings and verifies its BMC. */
export async function registerNode(tools: Tools, sealed: RegisterOrder): Promise<RegisterAnswer> {
  const order = forDeletion(tools, await withOpenedAgentImage(tools, sealed));
  const access = await accessOf(tools, order);
  if ('kind' in access) return access;
  try {
    const answer = order.deleting ? await reacquaint(tools, order, access) : await register(tools, order, access);
    const { refusal } = access;
    return answer.kind === 'registered' && refusal !== undefined ? { ...answer, refusal } : answer;
  } catch (error) {
    if (isNodeGone(error)) throw nodeBusy(order.nodeId, 'register', 'it was deleted a moment ago');
    if (!isIronicRefusal(error)) throw error;
    return { kind: 'refused', message: error.said, credentialsVersion: access.version };
  }
}

/** The workflow's order has the image without the secrets in its URLs. */
async function withOpenedAgentImage({ hostData }: Tools, order: RegisterOrder): Promise<RegisterOrder> {
  const { host, agentImage } = order;
  if (agentImage?.image == null) return order;
  const { url, kernelUrl, ...rest } = agentImage.image;
  const kernel = kernelUrl === undefined ? undefined : await hostData.openedUrl(host, kernelUrl);
  const image = {
    ...rest,
    url: await hostData.openedUrl(host, url),
    ...(kernel !== undefined && { kernelUrl: kernel }),
  };
  return { ...order, agentImage: { ...agentImage, image } };
}

/** Why Ironic must not be told of the image that was built: its URLs come from an object. The operator's may be any. */
function agentImageProblem({ settings }: Tools, { agentImage }: RegisterOrder): string | undefined {
  const { url, kernelUrl } = agentImage?.image ?? {};
  const own = Object.values(settings.deployImages);
  return [url, kernelUrl]
    .flatMap((each) => (each === undefined || own.includes(each) ? [] : (imageUrlProblem(each) ?? [])))
    .map((problem) => `Preprovisioning Image is not acceptable to provisioner: ${problem}`)[0];
}

/** A host that is being deleted is registered without an image that is refused. */
const forDeletion = (tools: Tools, order: RegisterOrder): RegisterOrder =>
  order.deleting && order.agentImage !== undefined && agentImageProblem(tools, order) !== undefined
    ? { ...order, agentImage: { ...order.agentImage, image: null } }
    : order;

/**
 * The BMC's address and credentials, from a Secret that is marked unless the host is being deleted; or why there are
 * none.
 */
export async function accessOf(
  { hostData, call }: Pick<Tools, 'hostData' | 'call'>,
  order: RegisterOrder,
): Promise<BmcAccess | RegisterAnswer> {
  const unknown = { login: null, version: '' };
  if (order.bmc.credentialsName === '') {
    const message = 'No BMC CredentialsName defined The BMC secret reference is empty';
    return order.deleting ? unknown : { kind: 'credentials invalid', message, credentialsVersion: '' };
  }
  const options = { claim: !order.deleting, signal: call.signal };
  const found = await hostData.bmcCredentials(order.host, order.bmc.credentialsName, options);
  switch (found.kind) {
    case 'missing':
      return order.deleting ? unknown : { kind: 'credentials missing', message: found.message };
    case 'invalid':
      if (order.deleting) return unknown;
      return { kind: 'credentials invalid', message: found.message, credentialsVersion: found.version };
    case 'ok':
      if (order.bmc.address !== '' || order.deleting) {
        const { version, refusal } = found;
        return { login: found, version, ...(refusal !== undefined && { refusal }) };
      }
      return {
        kind: 'credentials invalid',
        message: "Empty BMC address Missing BMC connection detail 'Address'",
        credentialsVersion: found.version,
      };
  }
}

async function register(tools: Tools, order: RegisterOrder, { login, version }: BmcAccess): Promise<RegisterAnswer> {
  const { client, settings, call } = tools;
  const refused = (message: string): RegisterAnswer => ({ kind: 'refused', message, credentialsVersion: version });

  const parsed = parseBmcAddress(order.bmc.address, { fakeHardware: settings.allowFakeHardware });
  if (parsed.kind === 'invalid') return refused(parsed.message);
  const { canKeepPowerOn } = await client.version(call.signal);
  const problem = refusal(parsed.address, order, {
    provisioningNetworkDisabled: settings.provisioningNetworkDisabled,
    canKeepPowerOn,
  });
  const refusable = problem ?? agentImageProblem(tools, order);
  if (refusable !== undefined) return refused(refusable);
  const network = await preprovisioningNetwork(tools, order);
  if (network.kind === 'unreadable') {
    const { message, wrongSecret } = network;
    return { ...refused(message), ...(wrongSecret !== undefined && { wrongSecret }) };
  }

  const desired = await desiredNode(tools, order, parsed.address, login, network.data, canKeepPowerOn);
  if (order.agentImage?.required && !isImageAcceptable(desired)) {
    return refused('Preprovisioning Image is not acceptable to provisioner');
  }
  const used = { credentials: version, network: network.version };
  return inTurn(tools, { host: order.host }, (turn) => enroll(tools, turn, order, desired, used));
}

/** Finds or creates the node with its ports, and sends it on its way to `manageable`. */
async function enroll(
  tools: Tools,
  turn: NodeTurn,
  order: RegisterOrder,
  desired: DesiredNode,
  used: UsedVersions,
): Promise<RegisterAnswer> {
  const { client, call } = tools;
  const found = await findOrCreate(tools, turn, desired);
  const conflict = await ensurePorts(tools, turn, order, found);
  if (conflict === undefined) return settle(tools, turn, order, desired, found, used);

  const other = await client.getNode(conflict.nodeId, { signal: call.signal });
  if (other === undefined)
    throw nodeBusy(found.node.uuid, 'create ports for', 'the owner of its port is being deleted');
  // A node without ports and without an attempt to reach its BMC was left by this registration or an earlier attempt of
  // it.
  const { uuid } = found.node;
  if (found.created || nodeFacts(found.node).state === 'enroll')
    await turn.send(uuid, (change) => client.deleteNode(uuid, change), 'delete');
  const isBoot = conflict.address === order.bootMACAddress.toLowerCase();
  const isNobodys = !other.name || (found.created && other.name === order.host.name);
  if (isBoot && isNobodys) return settle(tools, turn, order, desired, { node: other, created: false }, used);
  return {
    kind: 'refused',
    message: `MAC address ${conflict.address} conflicts with existing node ${other.name || other.uuid}`,
    credentialsVersion: used.credentials,
  };
}

/**
 * For a deletion: updates the BMC settings of the node, or creates it again when Ironic does not know it, so that the
 * server can be erased and powered off. Without credentials or address, nothing is created. The network Secret may
 * already be deleted.
 */
async function reacquaint(tools: Tools, order: RegisterOrder, { login, version }: BmcAccess): Promise<RegisterAnswer> {
  const { client, settings, call } = tools;
  const parsed = parseBmcAddress(order.bmc.address, { fakeHardware: settings.allowFakeHardware });
  const { canKeepPowerOn } = await client.version(call.signal);
  const desired =
    parsed.kind === 'invalid' || login === null
      ? undefined
      : await desiredNode(tools, order, parsed.address, login, undefined, canKeepPowerOn);
  const answer = await inTurn(tools, { host: order.host }, async (turn): Promise<RegisterAnswer | undefined> => {
    const node = (await knownById(turn, order)) ?? (await knownByName(turn, order.host));
    if (node === undefined) return undefined;
    const used = { credentials: version, network: undefined };
    if (desired !== undefined) return settle(tools, turn, order, desired, { node, created: false }, used);
    const verifying = node.provision_state === 'verifying';
    return { kind: 'registered', node: nodeFacts(node), created: false, verifying, credentialsVersion: version };
  });
  if (answer !== undefined) return answer;
  if (desired === undefined) return { kind: 'unknown' };
  return register(tools, { ...order, preprovisioningNetworkDataName: '', deleting: false }, { login, version });
}

async function desiredNode(
  { settings }: Tools,
  order: RegisterOrder,
  address: BmcAddress,
  login: BmcLogin | null,
  networkData: IronicJson | undefined,
  canKeepPowerOn: boolean,
): Promise<DesiredNode> {
  const { disableCertificateVerification } = order.bmc;
  const url =
    settings.externalUrlV6 !== undefined && (await isReachedByIpv6(address)) ? settings.externalUrlV6 : undefined;
  return {
    order,
    address,
    driverInfo: login === null ? null : driverInfo(address, login, disableCertificateVerification, url),
    deployImages: settings.deployImages,
    architecture: order.architecture ?? settings.defaultArchitecture,
    networkData,
    canKeepPowerOn,
  };
}

type Network =
  /** `version` of the Secret; absent when none is named. */
  | { readonly kind: 'read'; readonly data: IronicJson | undefined; readonly version?: string }
  | { readonly kind: 'unreadable'; readonly message: string; readonly wrongSecret?: SecretSeen };

export async function preprovisioningNetwork(
  { hostData, call }: Pick<Tools, 'hostData' | 'call'>,
  order: RegisterOrder,
): Promise<Network> {
  const name = order.preprovisioningNetworkDataName;
  if (name === '') return { kind: 'read', data: undefined };
  try {
    const source = await hostData.claimedNetworkData(order.host, name, call.signal);
    const { version } = source;
    // A built image contains the network configuration.
    if (order.agentImage !== undefined) return { kind: 'read', data: undefined, version };
    return { kind: 'read', data: await readNetworkData(source), version };
  } catch (error) {
    if (!isUsersFault(error)) throw error;
    const message = `failed to read preprovisioningNetworkData: ${error.message}`;
    return {
      kind: 'unreadable',
      message,
      ...(error instanceof DocumentError && { wrongSecret: error.wrongSecret }),
    };
  }
}

interface Found {
  readonly node: NodeJson;
  readonly created: boolean;
}

/** The status may have the id of somebody else's node. */
async function knownById(
  turn: NodeTurn,
  { nodeId, host }: Pick<RegisterOrder, 'nodeId' | 'host'>,
): Promise<NodeJson | undefined> {
  const node = nodeId === '' ? undefined : await turn.look(nodeId);
  return node !== undefined && isOfOther(node.name, host) ? undefined : node;
}

/** Finds the node by its name, or by the name of older nodes, which has no namespace. */
const knownByName = async (turn: NodeTurn, host: RegisterOrder['host']): Promise<NodeJson | undefined> =>
  (await turn.look(nodeName(host))) ?? (await turn.look(host.name));

/**
 * Finds the node by the known id, else creates it; its name shows whether an earlier call has created it. Older nodes,
 * which have a port with the boot MAC address, are searched by name only when the host has no boot MAC address.
 */
async function findOrCreate({ client, call }: Tools, turn: NodeTurn, desired: DesiredNode): Promise<Found> {
  const { order, driverInfo: access } = desired;
  const known = await knownById(turn, order);
  if (known !== undefined) return { node: known, created: false };
  const name = nodeName(order.host);
  // The attempt to create the node shows whether our name exists, and its port whether an older node exists.
  const old = order.bootMACAddress ? undefined : await turn.look(order.host.name);
  if (old !== undefined) return { node: (await turn.look(name)) ?? old, created: false };
  const created = await turn.send(
    name,
    (change) => client.createNode(newNode(desired), { ...change, secrets: secretsOf(access) }),
    'create',
  );
  if (created !== undefined) return { node: created, created: true };
  const named = await turn.look(name);
  if (named === undefined) throw nodeBusy(name, 'register', 'its name is being changed');
  const untried = named.provision_state === 'enroll' && named.last_error === null;
  return { node: named, created: call.attempt > 1 && untried };
}

const secretsOf = (access: DesiredNode['driverInfo']): readonly string[] =>
  Object.entries(access ?? {}).flatMap(([key, value]) => (key.endsWith('_password') ? [String(value)] : []));

/** States in which ports can be added to a node. */
const PORTS_IN = /^(enroll|manageable|available|active|error|.* failed)$/;

async function ensurePorts(
  tools: Tools,
  turn: NodeTurn,
  order: RegisterOrder,
  { node, created }: Found,
): ReturnType<typeof addPorts> {
  if (!PORTS_IN.test(node.provision_state)) return undefined;
  const wanted = wantedPorts(order.bootMACAddress, await tools.hostData.readHardware(order.host));
  if (wanted.length === 0) return undefined;
  const existing = created ? [] : await tools.client.portsOfNode(node.uuid, { signal: tools.call.signal });
  return addPorts(tools, turn, node.uuid, wanted, existing);
}

/** Versions of the Secrets used by a registration, after they were marked. */
interface UsedVersions {
  readonly credentials: string;
  readonly network: string | undefined;
}

/** Updates an existing node and starts its move to `manageable`. */
async function settle(
  tools: Tools,
  turn: NodeTurn,
  order: RegisterOrder,
  desired: DesiredNode,
  { node, created }: Found,
  used: UsedVersions,
): Promise<RegisterAnswer> {
  const facts = nodeFacts(node);
  const asItIs = { kind: 'registered', created, credentialsVersion: used.credentials } as const;
  // A node that was just created has the access that it was created with.
  const wanted = created ? { ...desired, driverInfo: null } : desired;
  const accessChanged = isAccessOutdated(node, wanted.driverInfo, order.credentialsChanged);
  const what = registerMove(facts, { accessChanged, retry: order.retry });
  if (what === 'leave' && !order.deleting && (accessChanged || isImageOutdated(node, wanted))) {
    // Ironic is busy with outdated BMC settings. Retry the update once the node is idle.
    throw nodeBusy(node.uuid, 'send new BMC settings to', `it is in state '${facts.state}'`);
  }
  if (what === 'leave') {
    const { cpu_arch: known } = node.properties;
    const architecture = typeof known === 'string' ? known : '';
    return { ...asItIs, architecture, node: facts, verifying: facts.state === 'verifying' };
  }
  const registered = {
    ...asItIs,
    architecture: desired.architecture,
    ...(used.network !== undefined && { networkVersion: used.network }),
  };
  if (what === 'report') return { ...registered, node: facts, verifying: true };
  const changes = nodeChanges(node, wanted, order.credentialsChanged);
  const current = nodeFacts(await patched(tools, turn, node, changes, { secrets: secretsOf(desired.driverInfo) }));
  if (what === 'configure') return { ...registered, node: current, verifying: false };
  await turn.send(node.uuid, (change) => tools.client.setProvisionState(node.uuid, 'manage', {}, change));
  return { ...registered, node: { ...current, state: 'verifying', lastError: null }, verifying: true };
}

/** True for an IPv6 address and for a name that resolves to one first; false for an unknown name. */
export async function isReachedByIpv6({ hostname }: Pick<BmcAddress, 'hostname'>): Promise<boolean> {
  if (hostname === '' || isIPv6(hostname)) return hostname !== '';
  const found = await lookup(hostname, { order: 'verbatim' }).catch(() => undefined);
  return found?.family === 6;
}
