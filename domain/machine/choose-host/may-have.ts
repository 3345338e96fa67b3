import { saysOccupied } from '../../ironic/occupied.ts';
import { HOST_LABELS } from '../names.ts';
import { type Claimant, type HostFacts, isConsumer } from './host-facts.ts';

/** The fields of a host on which it depends who may have it. */
export interface Claimable
  extends Pick<HostFacts, 'labels' | 'deleting' | 'heldBack' | 'hasImage' | 'hasCustomDeploy' | 'errorMessage'> {
  readonly consumer?: HostFacts['consumer'] | undefined;
  readonly externallyProvisioned?: boolean | undefined;
  /** The Cluster for which it is reserved is deleted or being deleted. */
  readonly abandoned?: boolean;
}

interface Claim {
  readonly machine: Claimant;
  /** Value of the node-reuse label that reserves a host for machines like this one. */
  readonly reuse?: string | undefined;
  /** The object of the machine names the host as its own. */
  readonly isNamed?: boolean;
}

export const TAKEN = 'taken';
export const RESERVED = 'reserved for other machines';
export const DELETED = 'being deleted';
export const OCCUPIED = 'runs something that Temper has not deployed';

/**
 * Why a machine may not have a host; undefined: it may. The choice of a host, the claim and its write ask this. The
 * write carries the resourceVersion of the host that was judged, so a host has one machine.
 */
export function whyNotHad(host: Claimable, { machine, reuse, isNamed = false }: Claim): string | undefined {
  const { consumer } = host;
  const runsSomething = host.hasImage || host.hasCustomDeploy || host.externallyProvisioned === true;
  // A host that runs this machine has lost its consumer, and gets it back, whatever its labels and annotations say.
  const isOwn = isConsumer(consumer, machine) || (consumer === undefined && runsSomething && isNamed);
  if (isOwn) return host.deleting ? DELETED : undefined;
  const reserved = host.labels[HOST_LABELS.nodeReuse];
  // A reserved host has its Cluster as consumer; one with the label and a machine is in use.
  if (consumer !== undefined && (consumer.kind !== 'Cluster' || reserved === undefined)) return TAKEN;
  if (reserved !== undefined && reserved !== reuse && host.abandoned !== true) return RESERVED;
  if (host.deleting) return DELETED;
  // A person uses it, or others have provisioned it.
  if (runsSomething) return 'in use without a consumer';
  return saysOccupied(host.errorMessage) ? OCCUPIED : host.heldBack;
}
