import type { Shape } from '../message/shape.ts';
import type { Seen } from './seen.ts';
import type { Shown } from './view.ts';

/** The next step; every wait has a reason in words. */
export type Step<Memory, Action> =
  /** Something outside is to be done: by an activity, or by a child workflow. */
  | {
      readonly kind: 'act';
      readonly action: Action;
      /** Over in a moment: what is to be shown is shown with what comes next. */
      readonly quiet?: true;
    }
  /** Take on this memory: something was concluded. */
  | { readonly kind: 'note'; readonly memory: Memory }
  /** Take on this memory, which is in another state: the state that is left must have been shown. */
  | { readonly kind: 'become'; readonly memory: Memory }
  /** Nothing is done before the object shows what it is to show now. */
  | { readonly kind: 'show' }
  /** Nothing to do until something changes or, with `until` (ms since the epoch), that moment comes. */
  | {
      readonly kind: 'wait';
      readonly reason: string;
      readonly until?: number;
      /** Nothing is shown meanwhile, not even what is known already. */
      readonly quiet?: true;
    }
  /** Nothing more to do for ever: the finalizer may go. */
  | { readonly kind: 'gone' };

/** How an action ended. A failure is data: the workflow of an object never fails. */
export type Outcome<Answer> =
  | { readonly kind: 'done'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly message: string }
  /** Cancelled because it was no longer wanted. */
  | { readonly kind: 'cancelled' };

export interface Moment {
  /** ms since the epoch. */
  readonly now: number;
  /** What was last published for the object; null before the first time. */
  readonly shown: Shown | null;
}

/** The moment at which an action ended: `now` in ms since the epoch, `dice` a number in [0, 1). */
export interface Ending<Memory> {
  readonly now: number;
  readonly dice: number;
  /** What was known when it began. */
  readonly before: Memory;
}

/** What one kind of object means, free of clock, network and Temporal. Memories and actions are plain JSON. */
export interface Entity<Snapshot extends Seen, Memory, Action, Answer> {
  /** What a snapshot has to look like, beyond what every snapshot tells. */
  readonly snapshot: Shape;
  /** Starts from what the object itself tells, so that a lost Temporal database heals. `before`: of a deleted object of the same name. */
  readonly begin: (seen: Snapshot, before?: Memory) => Memory;
  /** Takes in a newer snapshot of the same object. */
  readonly absorb: (memory: Memory, seen: Snapshot) => Memory;
  readonly nextStep: (memory: Memory, moment: Moment) => Step<Memory, Action>;
  /** Records that an action begins: what is shown while it runs. */
  readonly start?: (memory: Memory, action: Action) => Memory;
  readonly record: (memory: Memory, action: Action, outcome: Outcome<Answer>, at: Ending<Memory>) => Memory;
  readonly show: (memory: Memory) => Shown;
  /** The object shows this now. */
  readonly taken?: (memory: Memory, shown: Shown) => Memory;
  /** What is left to be done for an object that vanished without having been let go. */
  readonly afterVanishing?: (memory: Memory) => Action | undefined;
  /** False: an action under way is given up. */
  readonly stillWanted: (memory: Memory, action: Action) => boolean;
  /** Describes an action for the Web UI. */
  readonly summaryOf: (action: Action) => string;
  /** A paragraph for the Web UI: what the object is and what it waits for. */
  readonly detailsOf: (memory: Memory, waitingFor: string) => string;
}
