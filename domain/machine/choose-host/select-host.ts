import type { Metal3MachineSpec } from '../../../api/metal3machine/schema.ts';
import { isFree as isInFreeState } from '../../states/table.ts';
import { HOST_LABELS } from '../names.ts';
import { type Claimant, type HostFacts, isConsumer } from './host-facts.ts';
import { hostSelector } from './label-selector.ts';
import { DELETED, RESERVED, TAKEN, whyNotHad } from './may-have.ts';

/** The machine's requirements for a host. */
export interface Criteria {
  readonly machine: Claimant;
  readonly hostSelector?: Metal3MachineSpec['hostSelector'];
  /** '' or absent: any. */
  readonly failureDomain?: string;
  /** Value of the node-reuse label that reserves a host for machines like this one. */
  readonly reuse?: string;
}

/**
 * A host of the namespace; `promised` when it was suggested to another machine that is about to claim it; `late` when it
 * was suggested a while ago to a machine that has not claimed it yet; `abandoned` when the Cluster for which it is
 * reserved is deleted or being deleted.
 */
export type Candidate = HostFacts & {
  readonly promised?: boolean;
  readonly late?: boolean;
  readonly abandoned?: boolean;
};

type NoChoice =
  /** `reason` gives the number of hosts and why they were not chosen. */
  { readonly kind: 'none'; readonly reason: string } | { readonly kind: 'invalid'; readonly message: string };

export type Choice = { readonly kind: 'chosen'; readonly host: Candidate; readonly viaReuse: boolean } | NoChoice;

/** The hosts among which the choice is random. */
export type Eligible =
  | { readonly kind: 'some'; readonly hosts: readonly Candidate[]; readonly viaReuse: boolean }
  | NoChoice;

/** Why a host is not chosen; undefined when it can be. */
type Obstacle = string | undefined;

/** Chooses a host for a machine, a late one only if there is no other. `dice` in [0, 1). */
export function selectHost(hosts: readonly Candidate[], criteria: Criteria, dice: number): Choice {
  const eligible = eligibleHosts(hosts, criteria);
  if (eligible.kind !== 'some') return eligible;
  const { hosts: all, viaReuse } = eligible;
  const others = all.filter(({ late }) => late !== true);
  const from = others.length > 0 ? others : all;
  const host = from[Math.min(Math.floor(dice * from.length), from.length - 1)] as Candidate;
  return { kind: 'chosen', host, viaReuse };
}

/**
 * The host that a machine already has, else those that are reserved for it, else those that are free. Among suitable
 * hosts, only those of the machine's failure domain, if there are any.
 */
export function eligibleHosts(hosts: readonly Candidate[], criteria: Criteria): Eligible {
  const selector = hostSelector(criteria.hostSelector);
  if (selector.kind === 'invalid') return selector;
  const ofNamespace = hosts.filter(({ namespace }) => namespace === criteria.machine.namespace);
  const own = ofNamespace.find(({ consumer }) => isConsumer(consumer, criteria.machine));
  if (own !== undefined) return { kind: 'some', hosts: [own], viaReuse: false };

  const looks = looksAt(ofNamespace, selector.matches, criteria);
  const fit = looks.filter((look) => look.obstacle === undefined).map(({ host }) => host);
  const fitReserved = fit.filter((host) => isReservedFor(host, criteria));
  if (fitReserved.length > 0) return { kind: 'some', hosts: nearest(fitReserved, criteria), viaReuse: true };
  // The machine waits for a host that is reserved for it: it will be free soon, and its disks must not be erased.
  const coming = looks.find((look) => isPreferred(look, criteria));
  if (coming !== undefined) return { kind: 'none', reason: waitsFor(coming.host) };
  if (fit.length > 0) return { kind: 'some', hosts: nearest(fit, criteria), viaReuse: false };
  return { kind: 'none', reason: inWords(looks.map((look) => look.obstacle ?? '')) };
}

/** Each host of the namespace, and why it is not chosen; the message of an invalid selector. */
export function obstacles(hosts: readonly Candidate[], criteria: Criteria): readonly Look[] | string {
  const selector = hostSelector(criteria.hostSelector);
  if (selector.kind === 'invalid') return selector.message;
  const ofNamespace = hosts.filter(({ namespace }) => namespace === criteria.machine.namespace);
  const looks = looksAt(ofNamespace, selector.matches, criteria);
  const isPassedOver = ({ host, obstacle }: Look): boolean => obstacle === undefined && !isReservedFor(host, criteria);
  return looks.some((look) => isPreferred(look, criteria))
    ? looks.map((look) => (isPassedOver(look) ? { ...look, obstacle: PASSED_OVER } : look))
    : looks;
}

interface Look {
  readonly host: Candidate;
  readonly obstacle: Obstacle;
}

const looksAt = (
  hosts: readonly Candidate[],
  matches: (labels: Candidate['labels']) => boolean,
  criteria: Criteria,
): readonly Look[] =>
  hosts.map((host) => ({ host, obstacle: matches(host.labels) ? obstacle(host, criteria) : NO_MATCH }));

export const NO_MATCH = "don't match hostSelector";
const NOT_AVAILABLE = 'not available';
const PASSED_OVER = 'another host is reserved for this machine';

/** True when some machine could claim the host now. */
export const isFree = (host: Candidate): boolean => obstacle(host, { machine: NOBODY, ...reuseOf(host) }) === undefined;

const NOBODY = { namespace: '', name: '' };
const reuseOf = ({ labels }: HostFacts): Pick<Criteria, 'reuse'> => {
  const reuse = labels[HOST_LABELS.nodeReuse];
  return reuse === undefined ? {} : { reuse };
};

/**
 * True when the machine could have the host; false for an invalid selector. `selectorOf`: whoever asks again and again
 * compiles each selector once.
 */
export function couldTake(host: Candidate, criteria: Criteria, selectorOf = hostSelector): boolean {
  if (host.namespace !== criteria.machine.namespace || obstacle(host, criteria) !== undefined) return false;
  const selector = selectorOf(criteria.hostSelector);
  return selector.kind === 'selector' && selector.matches(host.labels);
}

const isReservedFor = ({ labels }: HostFacts, { reuse }: Criteria): boolean =>
  reuse !== undefined && reuse !== '' && labels[HOST_LABELS.nodeReuse] === reuse;

/** True for a reserved host that is free, or will be soon: the machine takes no other. */
const isPreferred = ({ host, obstacle: hindrance }: Look, criteria: Criteria): boolean =>
  isReservedFor(host, criteria) && (hindrance === undefined || hindrance.startsWith(NOT_AVAILABLE));

function obstacle(host: Candidate, criteria: Criteria): Obstacle {
  const hindrance = whyNotHad(host, criteria);
  if (hindrance === TAKEN || hindrance === RESERVED) return hindrance;
  // The same word as of a host with a consumer, because a change from one to the other causes no new search.
  if (host.promised === true) return TAKEN;
  if (hindrance === DELETED) return hindrance;
  if (host.errorMessage !== '') return 'in error';
  if (host.paused !== undefined) return 'paused';
  if (host.heldBack !== undefined) return host.heldBack;
  if (host.unhealthy) return 'unhealthy';
  if (host.detached) return 'detached';
  if (host.externallyProvisioned) return 'externally provisioned';
  if (!isInFreeState(host.state)) return `${NOT_AVAILABLE} (${host.state === '' ? 'new' : host.state})`;
  return hindrance;
}

function nearest(fit: readonly Candidate[], { failureDomain }: Criteria): readonly Candidate[] {
  const near = fit.filter(({ labels }) => failureDomain && labels[HOST_LABELS.failureDomain] === failureDomain);
  return near.length > 0 ? near : fit;
}

const waitsFor = ({ name, state }: HostFacts): string =>
  `host ${name} is reserved for this machine and is not available yet (${state === '' ? 'new' : state})`;

/** Such as "3 hosts: 2 taken, 1 not available (provisioning)". */
function inWords(obstacles: readonly string[]): string {
  if (obstacles.length === 0) return 'there are no hosts in this namespace';
  const counts = new Map<string, number>();
  for (const each of obstacles) counts.set(each, (counts.get(each) ?? 0) + 1);
  const parts = [...counts]
    .toSorted(([a, many], [b, few]) => few - many || (a < b ? -1 : 1))
    .map(([each, count]) => `${count} ${each}`);
  return `${obstacles.length} ${obstacles.length === 1 ? 'host' : 'hosts'}: ${parts.join(', ')}`;
}
