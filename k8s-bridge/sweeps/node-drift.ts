import { HEALTH } from '../../domain/host/report/conditions.ts';
import { nodeFacts } from '../../domain/ironic/node/facts.ts';
import type { IronicNode } from '../../domain/ironic/node/node.ts';
import type { NodeStateJson } from '../../domain/ironic/node/node-json.ts';
import type { BareMetalHostRead } from '../../kube/objects/baremetalhost.ts';
import { conditionsOf } from '../../kube/objects/conditions.ts';
import { isPausedOrMoved } from '../bindings/baremetalhost/resource.ts';

/**
 * The node as it is sent to the workflow of its host. The last error is left out: it may quote credentials, and no
 * observation needs it.
 */
export const observedNode = (node: NodeStateJson): IronicNode => ({ ...nodeFacts(node), lastError: null });

/** States in which a host is not compared with its node. */
const WITHOUT_NODE: readonly string[] = ['', 'unmanaged', 'registering', 'deleting'];
const RUNNING: readonly string[] = ['provisioned', 'externally provisioned'];
/** A node with an image in one of these states was taken out of use outside of Temper. */
const NOT_IN_USE: readonly string[] = ['manageable', 'adopt failed'];

/**
 * True when an image runs on the host, and its node is available to be deployed: Ironic's database was restored from a
 * backup that is older than the deployment.
 */
export const isUnused = ({ status }: BareMetalHostRead, { state }: IronicNode): boolean =>
  status.state === 'provisioned' && state === 'available';

/** UUID of the node in the host's status; '' when there is nothing to compare: no node, paused, detached. */
export function nodeIdOf(host: BareMetalHostRead): string {
  if (isPausedOrMoved(host) || host.operationalStatus === 'detached') return '';
  return WITHOUT_NODE.includes(host.status.state) ? '' : host.nodeId;
}

/**
 * True when the status was written after this time (ms since the epoch), or so close to it that this cannot be decided.
 */
export const wasWrittenSince = ({ lastUpdated }: BareMetalHostRead, moment: number): boolean =>
  Date.parse(lastUpdated) + SECOND_MS > moment;

/** `lastUpdated` has whole seconds. */
const SECOND_MS = 1_000;

/** True when the host's status differs from its node; `node` undefined: Ironic does not know it. */
export function differs(host: BareMetalHostRead, node: IronicNode | undefined): boolean {
  const { status, errorType } = host;
  // A failed registration or adoption is retried anyway.
  if (node === undefined) return errorType !== 'registration error';
  const conditions = new Map(conditionsOf(host.carriedStatus).map((condition) => [condition.type, condition.reason]));
  const health = HEALTH[node.health ?? ''];
  return (
    (node.poweredOn !== null && node.poweredOn !== status.poweredOn) ||
    (health !== undefined && conditions.get('Healthy') !== health.reason) ||
    (node.fault === 'power failure') !== (conditions.get('Manageable') === 'PowerFailure') ||
    (RUNNING.includes(status.state) &&
      (NOT_IN_USE.includes(node.state) || isUnused(host, node)) &&
      errorType !== 'provisioned registration error')
  );
}
