import { ageOf } from '../clock.ts';
import type { Operator } from './operators.ts';

/**
 * The Leases of bridges. The elected bridge uses baremetal-operator's Lease, so that only one of the two programs is
 * active.
 */
export const LEASES = { elected: 'baremetal-operator', alone: 'temper-bridge' } as const;

/** On a Lease: the bridges that have renewed it last, with the number of their last renewal; the newest one last. */
export const RENEWALS = 'temper/renewals';

/** An entry of `metadata.managedFields`, without the fields themselves. */
export interface ManagedEntry {
  readonly manager: string;
  readonly subresource: string;
  /** RFC 3339. */
  readonly time: string;
}

/** A Lease by which an operator elects its leader. */
export interface LeaseSeen {
  readonly namespace: string;
  readonly name: string;
  /** '' when it was released. */
  readonly holder: string;
  /** ms since the epoch; NaN: it was never renewed. */
  readonly renewedAt: number;
  readonly durationMs: number;
  /** A bridge of Temper holds it: it uses the name of baremetal-operator's Lease. */
  readonly isTempers: boolean;
}

/** How long after its last write of a status an operator counts as running, and at most after its Lease was renewed. */
export const FRESH_MS = 5 * 60_000;

/**
 * True while somebody else than Temper holds the Lease. Its duration has a bound, because others write it.
 * `renewedBefore`: its `renewedAt` a moment ago. If that has changed, the holder runs, whatever its clock shows.
 */
export const isHeldByAnother = (
  { holder, renewedAt, durationMs, isTempers }: LeaseSeen,
  now: number,
  renewedBefore = renewedAt,
): boolean =>
  holder !== '' &&
  !isTempers &&
  (ageOf(renewedAt, now) <= Math.min(durationMs, FRESH_MS) || !Object.is(renewedAt, renewedBefore));

/**
 * When the operator has last written the status of an object with these entries, in ms; undefined: not lately. Its older
 * entries stay on an object until somebody else has written all of their fields.
 */
export function freshWrite(entries: readonly ManagedEntry[], { manager }: Operator, now: number): number | undefined {
  const times = entries
    .filter((entry) => entry.manager === manager && entry.subresource === 'status')
    .map(({ time }) => Date.parse(time))
    .filter((at) => ageOf(at, now) < FRESH_MS);
  return times.length === 0 ? undefined : Math.max(...times);
}
