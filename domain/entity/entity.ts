import type { Seen } from './seen.ts';
import type { Shown } from './view.ts';

/** The next step; every wait has a reason in words. */
export type Step<Memory, Action> =
  /** An activity is needed. */
  | { readonly kind: 'act'; readonly action: Action }
  /** Replaces the memory: a conclusion was drawn. */
  | { readonly kind: 'note'; readonly memory: Memory }
  /** Wait until the current view is published. */
  | { readonly kind: 'show' }
  /** Nothing to do until something changes or, with `until` (ms since the epoch), until that time. */
  | { readonly kind: 'wait'; readonly reason: string; readonly until?: number }
  /** The workflow ends and the finalizer can be removed. */
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

/** The rules of one kind, without clock, network and Temporal. Memories and actions are plain JSON. */
export interface Entity<Snapshot extends Seen, Memory, Action, Answer> {
  /** Starts from the object alone, so that a lost Temporal database heals. */
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
  /** False cancels the running action. */
  readonly stillWanted: (memory: Memory, action: Action) => boolean;
  /** Describes an action for the Web UI. */
  readonly summaryOf: (action: Action) => string;
  /** A paragraph for the Web UI: what the object is and what it waits for. */
  readonly detailsOf: (memory: Memory, waitingFor: string) => string;
}
