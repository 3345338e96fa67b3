import { z } from 'zod';
import { HEALTH } from '../domain/host/report/conditions.ts';
import type { IronicNode } from '../domain/ironic/node/node.ts';
import { isPaused, type PublishedHost, readConditions } from './resource.ts';

const shownStatus = z.object({
  operationalStatus: z.string().catch(''),
  errorType: z.string().catch(''),
  poweredOn: z.boolean().catch(false),
  provisioning: z.object({ state: z.string().catch(''), ID: z.string().catch('') }).catch({ state: '', ID: '' }),
  lastUpdated: z.string().catch(''),
});

/** Of a host in these states no node is expected to be as it was left. */
const WITHOUT_NODE: readonly string[] = ['', 'unmanaged', 'registering', 'deleting'];
const RUNNING: readonly string[] = ['provisioned', 'externally provisioned'];
/** A node that runs something but is in one of these was taken out of use by somebody else. */
const NOT_IN_USE: readonly string[] = ['manageable', 'adopt failed'];

/** UUID of the node that a host shows to have. '' when nothing is to be compared: no node, paused, detached. */
export function nodeIdOf(host: PublishedHost): string {
  const { operationalStatus, provisioning } = shownStatus.parse(host.status);
  if (isPaused(host) || operationalStatus === 'detached') return '';
  return WITHOUT_NODE.includes(provisioning.state) ? '' : provisioning.ID;
}

/** True when the status was written after the moment (ms since the epoch), or too close to it to tell. */
export function wasWrittenSince({ status }: PublishedHost, moment: number): boolean {
  return Date.parse(shownStatus.parse(status).lastUpdated) + SECOND_MS > moment;
}

/** `lastUpdated` is written in whole seconds. */
const SECOND_MS = 1_000;

/** True when a host shows something else than its node is; undefined: Ironic does not know the node. */
export function differs({ status }: PublishedHost, node: IronicNode | undefined): boolean {
  const { poweredOn, errorType, provisioning } = shownStatus.parse(status);
  // An attempt to register, or to adopt, that failed is repeated anyway.
  if (node === undefined) return errorType !== 'registration error';
  const conditions = new Map(readConditions(status).map((condition) => [condition.type, condition.reason]));
  const health = HEALTH[node.health ?? ''];
  return (
    (node.poweredOn !== null && node.poweredOn !== poweredOn) ||
    (health !== undefined && conditions.get('Healthy') !== health.reason) ||
    (node.fault === 'power failure') !== (conditions.get('Manageable') === 'PowerFailure') ||
    (RUNNING.includes(provisioning.state) &&
      NOT_IN_USE.includes(node.state) &&
      errorType !== 'provisioned registration error')
  );
}
