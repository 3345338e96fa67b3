import { isInUse } from '../states/table.ts';
import { powerOffKey } from './names.ts';
import type { SickHost } from './sick-host.ts';
import type { RemediationSnapshot, Rival, SickMachine } from './snapshot.ts';

type Seen = Omit<RemediationSnapshot, 'status'>;

/** The Machine and its host, when they can be remediated; or the reason why not. */
export type Case =
  | { readonly kind: 'sick'; readonly machine: SickMachine; readonly host: SickHost }
  /** The Machine has lost its host and can't become healthy. */
  | { readonly kind: 'lost'; readonly machine: SickMachine }
  | { readonly kind: 'hindered'; readonly reason: string };

export function caseOf({ machine, host }: Seen): Case {
  if (machine === undefined) return hindered('waiting for a Machine among its owners');
  if (machine === null) return hindered('its Machine does not exist');
  if (machine.deleting) return hindered(`Machine ${machine.name} is being deleted`);
  if (machine.metal3Machine === '') return hindered(`Machine ${machine.name} has no Metal3Machine`);
  const owner = `${machine.api === undefined ? 'Metal3Machine' : 'Machine'} ${machine.metal3Machine}`;
  if (host === undefined) return hindered(`${owner} has no host`);
  if (host === null) return { kind: 'lost', machine };
  const { name, state } = host;
  if (host.deleting) return hindered(`host ${name} is being deleted`);
  if (!host.belongs) return hindered(`host ${name} does not belong to ${owner}`);
  if (!isInUse(state)) return hindered(`host ${name} is not provisioned: its state is '${state}'`);
  return { kind: 'sick', machine, host };
}

const hindered = (reason: string): Case => ({ kind: 'hindered', reason });

/** The annotations on the host that are ours, or of remediations that no longer exist. */
export function ownKeys({ uid, host, rivals }: Seen): readonly string[] {
  const others = rivals.filter((rival) => rival.uid !== uid && isInHand(rival)).map((rival) => powerOffKey(rival.uid));
  return (host?.heldBy ?? []).filter((key) => !others.includes(key));
}

/**
 * The annotations on the Machine's host of remediations that do not exist: clusterctl moved it while it was kept off.
 * This remediation's own, and those of others, are left to the attempt that needs them.
 */
export function strayKeys({ uid, host, rivals }: Seen): readonly string[] {
  if (!host?.belongs) return [];
  const existing = [uid, ...rivals.map((rival) => rival.uid)].map(powerOffKey);
  return host.heldBy.filter((key) => !existing.includes(key));
}

/** The other remediation of the same Machine that goes first. */
export function precededBy(seen: Seen, hasBegun: boolean): Rival | undefined {
  return seen.rivals.find((rival) => {
    if (!isInHand(rival)) return !hasBegun && rival.phase === undefined && isEarlier(rival, seen);
    return !hasBegun || isEarlier(rival, seen) || (seen.host?.heldBy ?? []).includes(powerOffKey(rival.uid));
  });
}

const isInHand = ({ phase }: Rival): boolean => phase !== undefined && phase !== 'Failed';

const isEarlier = (a: Pick<Rival, 'creationTimestamp' | 'name'>, b: Pick<Rival, 'creationTimestamp' | 'name'>) =>
  a.creationTimestamp === b.creationTimestamp ? a.name < b.name : a.creationTimestamp < b.creationTimestamp;
