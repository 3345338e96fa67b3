import { defined } from '../../../domain/defined.ts';
import { deploymentData } from '../../../domain/host/desired/wishes.ts';
import { configDrive } from '../../../domain/ironic/deployment/config-drive.ts';
import { networkDataOf, registrySecretOf } from '../../../domain/ironic/deployment/data-secrets.ts';
import { deploymentChanges, deploySteps } from '../../../domain/ironic/deployment/deployment.ts';
import { imageProblem, isLiveIso, isSameImage } from '../../../domain/ironic/deployment/image.ts';
import {
  type DeploymentRecord,
  isRecorded,
  RECORD,
  recordChange,
  recordOf,
} from '../../../domain/ironic/deployment/record.ts';
import { deployMove } from '../../../domain/ironic/moves/deploy.ts';
import { nodeFacts } from '../../../domain/ironic/node/facts.ts';
import type { IronicJson, NodeJson } from '../../../domain/ironic/node/node-json.ts';
import { patchFor } from '../../../domain/ironic/node/patch.ts';
import { isOccupied, occupiedInWords } from '../../../domain/ironic/occupied.ts';
import type { IronicAnswer, ProvisionOrder } from '../../../domain/ironic/orders.ts';
import { secretsIn } from '../../../domain/urls/hidden.ts';
import { sealImage } from '../../../kube/objects/sealed-urls.ts';
import { readRecord } from '../../deployment-record.ts';
import type { DocumentReader } from '../../documents/threads.ts';
import {
  DocumentError,
  readDocument,
  readNetworkData,
  TooManyTexts,
  textsAhead,
  UnreadText,
} from '../../documents/users-document.ts';
import { HostDataError } from '../../host-data.ts';
import { carryOut, requestFor } from '../carry-out.ts';
import type { ChangeOptions } from '../client/client.ts';
import { IronicError, isIronicRefusal } from '../client/errors.ts';
import { textsIn } from '../client/redact.ts';
import type { ActivityCall } from '../context.ts';
import { answerTo, type Tools } from '../tools.ts';
import { inTurn, type NodeTurn, patched } from '../turn.ts';
import { isByTemper } from './by-temper.ts';

/** Maximum difference between the clocks of Ironic and Temporal. */
const CLOCK_DIFFERENCE = 30_000;

/** Deploys the image. `active` is requested once for each order, however often this is called. */
export async function deployNode(tools: Tools, sealed: ProvisionOrder): Promise<IronicAnswer> {
  const problem = imageProblem(sealed);
  if (problem !== undefined) return { kind: 'failed', message: problem };
  // The workflow's order has the image without the secrets in its URLs.
  const image = sealed.image && (await tools.hostData.openedImage(sealed.host, sealed.image));
  const order = { ...sealed, ...(image !== undefined && { image }) };
  const access = await registryAccess(tools, order);
  if (access.kind === 'failed') return access;
  return withTextsAhead(tools, order, (texts) => deployWith(tools, order, access.login, texts));
}

async function deployWith(
  tools: Tools,
  order: ProvisionOrder,
  registryLogin: string | undefined,
  texts: DocumentReader,
): Promise<IronicAnswer> {
  const isWorthAnotherLook = (error: unknown): boolean => isIronicRefusal(error, 409);
  let last: NodeJson | undefined;
  try {
    return await inTurn(tools, { host: order.host, isWorthAnotherLook }, async (turn) => {
      last = await turn.look(order.nodeId);
      if (last === undefined) return { kind: 'lost' };
      try {
        return await decideAndDeploy(tools, turn, order, last, { registryLogin, texts });
      } catch (error) {
        if (isIronicRefusal(error, 400)) return await refused(tools, turn, order, last, error.said);
        throw error;
      }
    });
  } catch (error) {
    if (error instanceof UnreadText) throw error;
    if (error instanceof DocumentError) return wrongData(error);
    if (last === undefined) throw error;
    return answerTo(error, nodeFacts(last));
  }
}

/** What a deployment needs besides its order. */
interface DeploymentTexts {
  readonly registryLogin: string | undefined;
  readonly texts: DocumentReader;
}

/**
 * Reads the texts of a deployment, which may take long, before its turn. When the users have changed one until then,
 * its turn is left, and they are read again. Of a node that is deployed already, or being deployed, none is needed.
 */
export async function withTextsAhead<T>(
  { hostData, poller, call }: Pick<Tools, 'hostData' | 'poller' | 'call'>,
  order: ProvisionOrder,
  work: (texts: DocumentReader) => Promise<T>,
): Promise<T> {
  const { ahead, known } = textsAhead(call.signal);
  const listed = poller.recent(order.nodeId);
  let isNeeded = listed === undefined || !isOccupied(listed);
  for (;;) {
    if (isNeeded) await readConfigDrive({ hostData, call }, order, ahead).catch(unlessUsersFault);
    try {
      return await work(known);
    } catch (error) {
      if (!(error instanceof UnreadText)) throw error;
      isNeeded = true;
    }
  }
}

/** What is wrong with the texts counts in the turn, if they are needed there. */
function unlessUsersFault(error: unknown): void {
  if (error instanceof DocumentError || error instanceof HostDataError) return;
  if (!(error instanceof TooManyTexts)) throw error;
  const said = error.message;
  throw new IronicError({ type: 'IronicBusy', message: `can't read the data of the deployment yet: ${said}`, said });
}

/** The registry credentials of an image; nothing for a public image. */
export async function registryAccess(
  { hostData, call }: Pick<Tools, 'hostData' | 'call'>,
  { host, image }: ProvisionOrder,
): Promise<{ readonly kind: 'ok'; readonly login?: string } | (IronicAnswer & { readonly kind: 'failed' })> {
  const name = image === undefined ? '' : registrySecretOf(image);
  if (image === undefined || name === '') return { kind: 'ok' };
  const found = await hostData.registryLogin(host, name, image.url, call.signal);
  switch (found.kind) {
    case 'ok':
      return { kind: 'ok', login: found.login };
    case 'missing':
      return { kind: 'failed', message: found.message };
    case 'invalid':
      return { kind: 'failed', message: found.message, warning: found.warning };
  }
}

function decideAndDeploy(
  tools: Tools,
  turn: NodeTurn,
  order: ProvisionOrder,
  found: NodeJson,
  needed: DeploymentTexts,
): Promise<IronicAnswer> {
  const node = nodeFacts(found);
  const isSame = isSameDeployment(found, order);
  if (!isSame && isOccupied(node) && !isByTemper(tools, found, order.host))
    return Promise.resolve({ kind: 'failed', message: occupiedInWords(node), node });
  if (isSame) turn.settle();
  const ownFailure = turn.attempt > 1 || failedSince(found, tools.call);
  const force = (order.forcedBy ?? []).length > 0;
  const move = deployMove(node, { isSame, retry: order.retry, ownFailure, force });
  const request = requestFor(tools, turn, node.id);
  return carryOut(tools, node, move, async (step) => {
    if (step === 'active') await activate(tools, turn, order, found, needed);
    else await request(step);
  });
}

/**
 * True when the node has what the order asks for. What the node has on record decides, because a restored host does not
 * know what was deployed for it since; a node that was deployed by an older version, or by others, has no record.
 */
function isSameDeployment(found: NodeJson, order: ProvisionOrder): boolean {
  const { instance_info: info } = found;
  const hasItsImage = isSameImage(info, order);
  const recorded = readRecord(info[RECORD]);
  const isOurs = hasItsImage || isOurDeployment(found, order);
  return isOurs && (recorded === undefined || isRecorded(recorded, recordOfOrder(order), hasItsImage));
}

/**
 * Ironic may change the image's description (after a redirect or conversion); then it is enough that the node has our
 * instance, deployed in the same way: to disk, or as a live ISO.
 */
const isOurDeployment = ({ instance_uuid: instance, instance_info: info }: NodeJson, order: ProvisionOrder): boolean =>
  instance === order.host.uid && Boolean(info['boot_iso']) === isLiveIso(order);

/**
 * True when an earlier call for the same order caused the failed deployment: the node failed after the order was given.
 * Clocks differ, and a deployment must not be repeated, so the answer is true in doubt.
 */
function failedSince({ provision_updated_at: failedAt }: NodeJson, { attempt, askedAt }: ActivityCall): boolean {
  if (attempt === 1) return false;
  const at = Date.parse(failedAt ?? '');
  return Number.isNaN(at) || at > askedAt - CLOCK_DIFFERENCE;
}

async function activate(
  tools: Tools,
  turn: NodeTurn,
  order: ProvisionOrder,
  found: NodeJson,
  { registryLogin, texts }: DeploymentTexts,
): Promise<void> {
  const { client, settings } = tools;
  const drive = await readConfigDrive(tools, order, texts);
  const released = await releasedFromOther(tools, turn, order, found);
  const changes = [
    ...deploymentChanges(released, order, settings.forcePersistentBootDevice, registryLogin),
    ...patchFor(released, recordChange(recordOfOrder(order))),
  ];
  await patched(tools, turn, released, changes, { secrets: [registryLogin ?? '', ...urlSecrets(order)] });
  const steps = deploySteps(order);
  const more = { configdrive: drive.content, ...(steps.length > 0 && { deploy_steps: steps }) };
  const send = (change: ChangeOptions): Promise<void> =>
    client.setProvisionState(found.uuid, 'active', more, { ...change, secrets: drive.secrets });
  await turn.send(found.uuid, send, 'active');
}

/** With the URL of the image as it is compared with that of the BareMetalHost: without secrets. */
const recordOfOrder = ({ image, ...order }: ProvisionOrder): DeploymentRecord =>
  recordOf({ ...order, ...(image && { image: sealImage(order.host.uid, image) }) }, deploymentData(order));

const urlSecrets = ({ image }: ProvisionOrder): readonly string[] =>
  [image?.url ?? '', image?.checksum ?? ''].flatMap(secretsIn);

/** Ironic does not replace an instance_uuid: that of an earlier host is removed first. */
async function releasedFromOther(
  tools: Tools,
  turn: NodeTurn,
  { host }: ProvisionOrder,
  node: NodeJson,
): Promise<NodeJson> {
  const taken = node.instance_uuid !== null && node.instance_uuid !== host.uid;
  return taken ? patched(tools, turn, node, [{ op: 'remove', path: '/instance_uuid' }]) : node;
}

/** The answer to wrong data of the user: Ironic is not asked for anything. */
export const wrongData = ({ message, wrongSecret }: DocumentError): IronicAnswer => ({
  kind: 'failed',
  message: `Validation failed: ${message}`,
  wrongSecret,
});

interface ConfigDrive {
  readonly content: IronicJson;
  readonly secrets: readonly string[];
}

/** The content of the users' Secrets goes from Kubernetes to Ironic and nowhere else. */
export async function readConfigDrive(
  { hostData, call }: Pick<Tools, 'hostData' | 'call'>,
  order: ProvisionOrder,
  reader?: DocumentReader,
): Promise<ConfigDrive> {
  if (isLiveIso(order)) return { content: {}, secrets: [] };
  const { host } = order;
  const [userData, metaData, networkData] = await Promise.all([
    hostData.hostData(host, order.userData, 'userData', call.signal),
    hostData.hostData(host, order.metaData, 'metaData', call.signal),
    hostData.hostData(host, networkDataOf(order), 'networkData', call.signal),
  ]);
  const meta = await readDocument(metaData, reader);
  // Where images are built, the builder decides what the deploy agent's Secret holds.
  const network = await (order.networkData?.name
    ? readNetworkData(networkData, reader)
    : readDocument(networkData, reader));
  const user = userData?.text;
  return {
    content: configDrive(host, defined({ userData: user, metaData: meta, networkData: network })),
    secrets: [user ?? '', ...textsIn(meta), ...textsIn(network)],
  };
}

/** Ironic refused to start: it has started already, or its interfaces report errors. */
async function refused(
  tools: Tools,
  turn: NodeTurn,
  order: ProvisionOrder,
  before: NodeJson,
  said: string,
): Promise<IronicAnswer> {
  const { client, call } = tools;
  const found = await client.getNode(before.uuid, { signal: call.signal });
  if (found === undefined) return { kind: 'lost' };
  const node = nodeFacts(found);
  if (node.state !== before.provision_state && isSameDeployment(found, order)) {
    const move = deployMove(node, { isSame: true, retry: false, ownFailure: true });
    if (move.kind !== 'go') return carryOut(tools, node, move, requestFor(tools, turn, node.id));
  }
  const problems = await client.validate(node.id, { signal: call.signal });
  const reasons = [problems.boot, problems.deploy].filter((reason) => reason !== undefined);
  return { kind: 'failed', message: `host validation error: ${reasons.join('; ') || said}`, node };
}
