import { z } from 'zod';
import { HEALTH } from '../../domain/host/report/conditions.ts';
import { nodeFacts } from '../../domain/ironic/node/facts.ts';
import type { IronicNode } from '../../domain/ironic/node/node.ts';
import type { NodeStateJson } from '../../domain/ironic/node/node-json.ts';
import type { Writable } from '../../kube/objects/any-object.ts';
import { conditionsOf } from '../../kube/objects/conditions.ts';
import { isPausedOrMoved } from '../bindings/baremetalhost/resource.ts';

export const shownStatus = z.object({
  operationalStatus: z.string().catch(''),
  errorType: z.string().catch(''),
  poweredOn: z.boolean().catch(false),
  provisioning: z.object({ state: z.string().catch(''), ID: z.string().catch('') }).catch({ state: '', ID: '' }),
  lastUpdated: z.string().catch(''),
});

/** A node for the workflow of its host. The last error may quote credentials, and no observation needs it. */
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
export const isUnused = ({ status }: Writable, { state }: IronicNode): boolean =>
  shownStatus.parse(status).provisioning.state === 'provisioned' && state === 'available';

/** UUID of the node in the host's status; '' when there is nothing to compare: no node, paused, detached. */
export function nodeIdOf(host: Writable): string {
  const { operationalStatus, provisioning } = shownStatus.parse(host.status);
  if (isPausedOrMoved(host) || operationalStatus === 'detached') return '';
  return WITHOUT_NODE.includes(provisioning.state) ? '' : provisioning.ID;
}

/** True when the status was written after this time (ms since the epoch), or too close to it to tell. */
export function wasWrittenSince({ status }: Writable, moment: number): boolean {
  return Date.parse(shownStatus.parse(status).lastUpdated) + SECOND_MS > moment;
}

/** `lastUpdated` has whole seconds. */
const SECOND_MS = 1_000;

/** True when the host's status differs from its node; `node` undefined: Ironic does not know it. */
export function differs(host: Writable, node: IronicNode | undefined): boolean {
  const { status } = host;
  const { poweredOn, errorType, provisioning } = shownStatus.parse(status);
  // A failed registration or adoption is retried anyway.
  if (node === undefined) return errorType !== 'registration error';
  const conditions = new Map(conditionsOf(status).map((condition) => [condition.type, condition.reason]));
  const health = HEALTH[node.health ?? ''];
  return (
    (node.poweredOn !== null && node.poweredOn !== poweredOn) ||
    (health !== undefined && conditions.get('Healthy') !== health.reason) ||
    (node.fault === 'power failure') !== (conditions.get('Manageable') === 'PowerFailure') ||
    (RUNNING.includes(provisioning.state) &&
      (NOT_IN_USE.includes(node.state) || isUnused(host, node)) &&
      errorType !== 'provisioned registration error')
  );
}
