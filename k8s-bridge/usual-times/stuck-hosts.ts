import { believed } from '../../domain/clock.ts';
import { diagnose } from '../../domain/diagnosis/diagnose.ts';
import { isDeletion } from '../../domain/diagnosis/rows/deleting.ts';
import { toSeconds } from '../../domain/entity/conditions.ts';
import type { Condition } from '../../domain/entity/view.ts';
import { busyStateOf } from '../../domain/usual-times/busy-state.ts';
import {
  isOverdue,
  type Overdue,
  STUCK,
  type StuckObservation,
  sinceIn,
  stuckCondition,
} from '../../domain/usual-times/stuck.ts';
import { usualTime } from '../../domain/usual-times/usual-times.ts';
import { KINDS } from '../../kube/kinds.ts';
import { readObject } from '../../kube/objects/any-object.ts';
import { conditionsOf } from '../../kube/objects/conditions.ts';
import { hostInSight, secretsNamedBy } from '../../kube/objects/sight.ts';
import { keyOf } from '../../kube/reflector.ts';
import type { Entry } from '../../kube/store.ts';
import type { Around } from '../around.ts';
import type { Binding } from '../binding.ts';
import { isPausedOrMoved } from '../bindings/baremetalhost/resource.ts';
import type { Announce } from '../publish/announce.ts';
import type { MarkCondition } from '../publish/mark-condition.ts';
import type { KeptTimes } from './kept-times.ts';
import { BUSY_OR_STUCK, busyHosts, seenHost } from './seen-host.ts';
import type { Stays } from './stays.ts';

export interface StuckHostsDeps extends Pick<Around, 'stores' | 'ledger' | 'log' | 'now'> {
  readonly binding: Binding;
  readonly stays: Stays;
  readonly kept: KeptTimes;
  readonly announce: Announce;
  readonly markCondition: MarkCondition;
  /** Tells the run of the host; nothing when the host has none. */
  readonly signal: (host: Entry, observation: StuckObservation) => Promise<void>;
}

/**
 * Looks for hosts that are in their state for much longer than usual. Looks at busy hosts only, and writes when one
 * gets stuck, when it has another cause than before, and when it is no longer stuck.
 */
export function createStuckHosts(deps: StuckHostsDeps): (signal: AbortSignal) => Promise<void> {
  const { binding, stores, stays, kept, ledger, announce, markCondition, signal, log, now } = deps;

  /** The condition, with the first cause that `temper explain --objects-only` would name. */
  const conditionOf = ({ object, namespace }: Entry, overdue: Overdue): Condition | undefined => {
    const missingSecrets = secretsNamedBy(object).filter(
      ({ name }) => stores.get(KINDS.secret, keyOf({ namespace, name })) === undefined,
    );
    const host = { ...hostInSight(object, kept.times, []), since: overdue.since };
    const causes = diagnose({ now: now(), host, missingSecrets });
    // That a host is being deleted is no news to its owner: what holds the deletion up is.
    const cause = causes.find((each) => !isDeletion(each)) ?? causes[0];
    return cause && stuckCondition(overdue, cause);
  };

  /** Once for each state in which a host is stuck, by each bridge; again when Temporal has lost its database. */
  const tellRun = async (entry: Entry, { state, since }: Overdue): Promise<void> => {
    const known = ledger.of(entry.uid);
    const stuck = `${state}/${toSeconds(since)}`;
    if (known.stuckSignalled === stuck) return;
    await signal(entry, { uid: entry.uid, state });
    known.stuckSignalled = stuck;
  };

  const look = async (entry: Entry): Promise<void> => {
    const host = readObject(entry.object);
    const seen = seenHost(host);
    const state = busyStateOf(seen);
    if (state === undefined) stays.interrupted(entry.uid, seen.state);
    // A paused host is not written, nor one that is left to another operator.
    if (isPausedOrMoved(host) || ledger.find(entry.uid)?.leftAlone !== undefined) return;
    const shown = conditionsOf(host.status).find(({ type }) => type === STUCK);
    if (state === undefined) {
      if (shown !== undefined) await markCondition(binding, entry, { type: STUCK });
      return;
    }
    // `stays` does not know the time when this bridge started after the state began.
    const since = (shown && sinceIn(shown)) ?? stays.since(entry.uid, state) ?? seen.shownAt;
    // A clock was ahead: since when is unknown, so the host has its time from now on.
    if (shown === undefined && believed(since, now()) !== since) return stays.interrupted(entry.uid, state);
    const overdue = { state, since, model: seen.model, usual: usualTime(kept.times, seen.model, state) };
    // The condition stays until the state changes, even if newer usual times would remove it.
    if (shown === undefined && !isOverdue(overdue, now())) return;
    const condition = conditionOf(entry, overdue);
    if (condition !== undefined && condition.reason !== shown?.reason) await show(entry, overdue, condition);
    await tellRun(entry, overdue);
  };

  const show = async (entry: Entry, { state, since }: Overdue, condition: Condition): Promise<void> => {
    const { reason, message } = condition;
    log.warn(
      { kind: KINDS.host.kind, object: keyOf(entry), state, cause: reason, problem: message },
      'a host is stuck',
    );
    const event = { id: `stuck/${state}/${since}/${reason}`, reason: 'HostStuck', message, type: 'Warning' } as const;
    await announce({ binding, object: entry, event });
    await markCondition(binding, entry, { type: STUCK, condition });
  };

  return async (signal) => {
    if (!kept.isLoaded) await kept.load();
    // Copied to a list, because writes move hosts within the index.
    const hosts = Array.from(stores.having(busyHosts, BUSY_OR_STUCK));
    for (const entry of hosts) {
      if (signal.aborted) return;
      // The host was deleted meanwhile: nothing is kept for it.
      if (stores.get(KINDS.host, keyOf(entry))?.uid !== entry.uid) continue;
      // A failure for one host does not end the sweep.
      await look(entry).catch((error: unknown) =>
        log.warn(
          { kind: KINDS.host.kind, object: keyOf(entry), err: error },
          'whether a host is stuck could not be shown',
        ),
      );
    }
  };
}
