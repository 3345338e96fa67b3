import { believed } from '../../domain/clock.ts';
import { isOfState, NODE_NOT_IN_USE } from '../../domain/host/outcome/node-not-in-use.ts';
import { HEALTH } from '../../domain/host/report/conditions.ts';
import { UNADOPTABLE } from '../../domain/ironic/moves/adopt.ts';
import { nodeFacts } from '../../domain/ironic/node/facts.ts';
import type { IronicNode } from '../../domain/ironic/node/node.ts';
import type { NodeStateJson } from '../../domain/ironic/node/node-json.ts';
import { isOccupied, saysOccupied } from '../../domain/ironic/occupied.ts';
import { hasNode, isAtRest, isFree, isInUse, traitsOf } from '../../domain/states/table.ts';
import type { BareMetalHostRead } from '../../kube/objects/baremetalhost.ts';
import { conditionsOf } from '../../kube/objects/conditions.ts';
import { isPausedOrMoved } from '../bindings/baremetalhost/resource.ts';

/**
 * The node as it is sent to the workflow of its host. The last error is left out: it may quote credentials, and no
 * observation needs it.
 */
export const observedNode = (node: NodeStateJson): IronicNode => ({ ...nodeFacts(node), lastError: null });

/** A node with an image in one of these states was taken out of use outside of Temper. */
const NOT_IN_USE: readonly string[] = ['manageable', 'adopt failed'];
/** Cleaning or inspection failed, for example because Ironic was restarted during it. */
const INTERRUPTED: readonly string[] = ['clean failed', 'inspect failed'];

/**
 * True when an image runs on the host, and its node is available to be deployed, or on the way to it: Ironic's database
 * was restored from a backup that is older than the deployment. The node of an externally provisioned host may be
 * available.
 */
export const isUnused = ({ status }: BareMetalHostRead, { state }: IronicNode): boolean =>
  (traitsOf(status.state).rest === 'deployed' && state === 'available') ||
  (isInUse(status.state) && INTERRUPTED.includes(state));

/** The same for a node that Ironic can't adopt. */
export const isUnadoptable = ({ status }: BareMetalHostRead, { state }: IronicNode): boolean =>
  isInUse(status.state) && UNADOPTABLE.includes(state);

/**
 * The listed node of a host, as it is compared. undefined: it has to be registered, because Ironic does not know it, or
 * was restored from a backup that was made while the node was registered for the first time.
 */
export const comparedNode = (
  { status }: BareMetalHostRead,
  listed: NodeStateJson | undefined,
): IronicNode | undefined =>
  listed === undefined || (isAtRest(status.state) && listed.provision_state === 'enroll')
    ? undefined
    : observedNode(listed);

/** UUID of the node in the host's status; '' when there is nothing to compare: no node, paused, detached. */
export function nodeIdOf(host: BareMetalHostRead): string {
  if (isPausedOrMoved(host) || host.operationalStatus === 'detached') return '';
  return hasNode(host.status.state) ? host.nodeId : '';
}

/**
 * True when the status was written after this time (ms since the epoch), or so close to it that this cannot be decided.
 * A time in the future is old: the clock of an earlier bridge was ahead.
 */
export const wasWrittenSince = ({ lastUpdated }: BareMetalHostRead, moment: number, now: number): boolean =>
  believed(Date.parse(lastUpdated), now) + SECOND_MS > moment;

/** `lastUpdated` has whole seconds. */
const SECOND_MS = 1_000;

/** True when the host's status differs from its node; `node` undefined: Ironic does not know it. */
export function differs(host: BareMetalHostRead, node: IronicNode | undefined): boolean {
  const { status, errorType } = host;
  // A failed registration or adoption is retried anyway.
  if (node === undefined) return errorType !== 'registration error';
  const conditions = new Map(conditionsOf(host.carriedStatus).map((condition) => [condition.type, condition]));
  const health = HEALTH[node.health ?? ''];
  return (
    (node.poweredOn !== null && node.poweredOn !== status.poweredOn) ||
    (health !== undefined && conditions.get('Healthy')?.reason !== health.reason) ||
    !isManageableAsShown(host, node, conditions.get('Manageable')) ||
    !isOccupationAsShown(host, node) ||
    (isInUse(status.state) &&
      (NOT_IN_USE.includes(node.state) || isUnused(host, node)) &&
      errorType !== 'provisioned registration error')
  );
}

/** True when the host is free, for Temper, and Ironic has something on its node, or is installing it. */
export const isOccupiedFree = ({ status, imageUrl, deployMethod }: BareMetalHostRead, node: IronicNode): boolean =>
  isFree(status.state) && imageUrl === '' && deployMethod === '' && isOccupied(node);

const isOccupationAsShown = (host: BareMetalHostRead, node: IronicNode): boolean =>
  saysOccupied(host.status.errorMessage) ? isOccupied(node) : !isOccupiedFree(host, node);

/** Reasons of the condition `Manageable` that come from the node alone. */
const OF_NODE: readonly string[] = [NODE_NOT_IN_USE, 'PowerFailure'];

function isManageableAsShown(
  host: BareMetalHostRead,
  node: IronicNode,
  { reason = '', message = '' }: Partial<ReturnType<typeof conditionsOf>[number]> = {},
): boolean {
  const shown = OF_NODE.includes(reason) ? reason : '';
  if (isUnadoptable(host, node)) return shown === NODE_NOT_IN_USE && isOfState(message, node.state);
  return shown === (node.fault === 'power failure' ? 'PowerFailure' : '');
}
