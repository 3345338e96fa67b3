import type { Seen } from './seen.ts';
import type { Shown } from './view.ts';

/** What to do next; every wait says why in words. */
export type Step<Memory, Action> =
  /** Something outside is to be done: by an activity. */
  | { readonly kind: 'act'; readonly action: Action }
  /** Take on this memory: something was concluded. */
  | { readonly kind: 'note'; readonly memory: Memory }
  /** Nothing is done before the object shows what it is to show now. */
  | { readonly kind: 'show' }
  /** Nothing to do until something changes or, with `until` (ms since the epoch), that moment comes. */
  | { readonly kind: 'wait'; readonly reason: string; readonly until?: number }
  /** Nothing more to do for ever: the finalizer may go. */
  | { readonly kind: 'gone' };

/** How an action ended. A failure is data: the workflow of an object never fails. */
export type Outcome<Answer> =
  | { readonly kind: 'done'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly message: string }
  /** Given up because it was no longer wanted. */
  | { readonly kind: 'cancelled' };

export interface Moment {
  /** ms since the epoch. */
  readonly now: number;
  /** What the object is known to show; null before anything was handed over. */
  readonly shown: Shown | null;
}

/** What one kind of object means, free of clock, network and Temporal. Memories and actions are plain JSON. */
export interface Entity<Snapshot extends Seen, Memory, Action, Answer> {
  /** Starts from what the object itself tells, so that a lost Temporal database heals. */
  readonly begin: (seen: Snapshot) => Memory;
  /** Takes in a newer snapshot of the same object. */
  readonly absorb: (memory: Memory, seen: Snapshot) => Memory;
  readonly nextStep: (memory: Memory, moment: Moment) => Step<Memory, Action>;
  readonly record: (
    memory: Memory,
    action: Action,
    outcome: Outcome<Answer>,
    at: { readonly now: number; readonly dice: number },
  ) => Memory;
  readonly show: (memory: Memory) => Shown;
  /** False: an action under way is given up. */
  readonly stillWanted: (memory: Memory, action: Action) => boolean;
  /** What an action is, in words for the people who read the run. */
  readonly summaryOf: (action: Action) => string;
  /** A paragraph for the head of the run: what it is, and what it waits for. */
  readonly detailsOf: (memory: Memory, waitingFor: string) => string;
}
