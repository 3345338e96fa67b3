import { messageOf } from '../../../domain/message-of.ts';
import { IronicError } from '../client/errors.ts';
import type { IronicLog } from '../context.ts';

export interface AbsenceOptions {
  readonly log: IronicLog;
  /** After so many milliseconds in which all lists fail, waits are handed back. */
  readonly patienceMs?: number;
  /**
   * Called with true just before the waits are handed back, so that the worker takes no tasks that need Ironic, and
   * with false when a list has succeeded.
   */
  readonly onAway?: (isAway: boolean) => void;
  /** Milliseconds of a clock that is never set. */
  readonly now?: () => number;
}

/**
 * Since when lists of Ironic's nodes fail. After the patience, this process can't reach Ironic, and others perhaps can:
 * it is away, until a list succeeds.
 */
export interface Absence {
  /** A list has failed that was sent at this time. True when the process is away from now on. */
  failed(error: unknown, sentAt: number): boolean;
  succeeded(): void;
  isFailing(): boolean;
  /** Undefined while the process is not away. */
  whyAway(): string | undefined;
  now(): number;
}

/** Long enough for a restart of Ironic, short beside what waits for it. */
const PATIENCE_MS = 3 * 60_000;

export function createAbsence({
  log,
  patienceMs = PATIENCE_MS,
  onAway = () => undefined,
  now = () => performance.now(),
}: AbsenceOptions): Absence {
  let failing: { readonly since: number; readonly error: unknown } | undefined;
  let isAway = false;
  return {
    failed(error, sentAt) {
      if (failing === undefined) log.warn({ err: error }, 'listing the nodes of Ironic fails, waiting for it');
      failing = { since: failing?.since ?? sentAt, error };
      if (isAway || now() - failing.since < patienceMs) return false;
      isAway = true;
      log.warn({ err: error }, 'no list of the nodes of Ironic for minutes: nothing that needs Ironic is taken');
      onAway(true);
      return true;
    },

    succeeded() {
      if (failing !== undefined) log.info({}, 'listing the nodes of Ironic works again');
      failing = undefined;
      if (!isAway) return;
      isAway = false;
      onAway(false);
    },

    isFailing: () => failing !== undefined,

    whyAway() {
      if (!isAway || failing === undefined) return undefined;
      const minutes = Math.max(1, Math.floor((now() - failing.since) / 60_000));
      return `no list of Ironic's nodes for ${minutes} minutes: ${messageOf(failing.error)}`;
    },

    now,
  };
}

/** Temporal repeats the wait, in another worker while this one is away. */
export const handedBack = (why: string): IronicError =>
  new IronicError({ type: 'IronicUnreachable', message: `this worker leaves the wait to others: ${why}` });
