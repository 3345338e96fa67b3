import type { EntityView } from '../../domain/entity/view.ts';
import { isBusyState, traitsOf } from '../../domain/states/table.ts';
import { type Passage, type Stay, stayAfter } from '../../domain/usual-times/busy-state.ts';
import type { Writable } from '../../kube/objects/any-object.ts';
import { progressOf, seenHost, shownAtIn } from './seen-host.ts';

/** How long the hosts that are being worked on have been in their state. */
export interface Stays {
  /** This view was written to the status; `before` is the object before that. */
  shown(before: Writable, view: EntityView): void;
  /** The host was deleted. */
  gone(object: Writable): void;
  /** The host waits for something else, or is at rest: its time begins again when it is worked on. */
  interrupted(uid: string, state: string): void;
  /** When the host entered the state, in ms since the epoch; undefined: this bridge did not see it. */
  since(uid: string, state: string): number | undefined;
  readonly size: number;
}

/**
 * Keeps an entry for each host in a busy state, and none for the others. `onPassed`: a host has passed a state as
 * usual.
 */
export function createStays(onPassed: (model: string, passage: Passage) => void, now: () => number): Stays {
  const stays = new Map<string, Stay>();
  return {
    shown(before, view) {
      const after = progressOf({ ...before, status: { ...view.shown.status, conditions: view.shown.conditions } });
      const beforeAt = shownAtIn(before);
      const { stay, passage } = stayAfter(stays.get(view.uid), {
        before: progressOf(before),
        after,
        beforeAt: Number.isNaN(beforeAt) ? view.at : beforeAt,
        at: view.at,
      });
      if (stay === undefined) stays.delete(view.uid);
      else stays.set(view.uid, stay);
      if (passage !== undefined) onPassed(seenHost(before).model, passage);
    },
    gone(object) {
      const { uid } = object.metadata;
      const stay = stays.get(uid);
      stays.delete(uid);
      if (stay?.isWhole && traitsOf(stay.state).work === 'delete')
        onPassed(seenHost(object).model, { state: stay.state, ms: Math.max(0, now() - stay.since) });
    },
    interrupted(uid, state) {
      if (isBusyState(state)) stays.set(uid, { state, since: now(), isWhole: false });
      else stays.delete(uid);
    },
    since(uid, state) {
      const stay = stays.get(uid);
      return stay?.state === state ? stay.since : undefined;
    },
    get size() {
      return stays.size;
    },
  };
}
