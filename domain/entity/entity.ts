import type { Shape } from '../message/shape.ts';
import type { Listed } from './listed.ts';
import type { Markdown } from './markdown.ts';
import type { Seen } from './seen.ts';
import type { Shown } from './view.ts';

/** The next step; every wait has a reason in words. */
export type Step<Memory, Action> =
  /** Perform this action, with activities or a child workflow. */
  | {
      readonly kind: 'act';
      readonly action: Action;
      /** A short action: the view is published after it, not at its start. */
      readonly quiet?: true;
    }
  /** Replace the memory with this one. */
  | { readonly kind: 'note'; readonly memory: Memory }
  /** Replace the memory with this one, which is in another state. The current state must be published first. */
  | { readonly kind: 'become'; readonly memory: Memory }
  /** Wait until the current view is published. */
  | { readonly kind: 'show' }
  /** Wait until something changes or, with `until` (ms since the epoch), until that time. */
  | {
      readonly kind: 'wait';
      readonly reason: string;
      /** The cause of the wait, when the reason says more than that. Timers show it. */
      readonly cause?: string;
      readonly until?: number;
      /** The view is not published during the wait. */
      readonly quiet?: true;
    }
  /** Nothing is left to do: the finalizer is removed and the workflow ends. */
  | { readonly kind: 'gone' };

/** How an action ended. A failure is data: the workflow of an object never fails. */
export type Outcome<Answer> =
  | { readonly kind: 'done'; readonly answer: Answer }
  | { readonly kind: 'failed'; readonly message: string }
  /** The action was cancelled, because it was no longer wanted. */
  | {
      readonly kind: 'cancelled';
      /** Somebody else ended the action although it is still wanted: its progress is unknown. */
      readonly byOthers?: true;
    };

/** The object does not ask for the action: the run's memory is outdated, and nothing was done. */
export interface Stale {
  readonly kind: 'stale';
  readonly message: string;
}

export interface Moment {
  /** ms since the epoch. */
  readonly now: number;
  /** The last published view; null before the first publication. */
  readonly shown: Shown | null;
}

/** When an action ended: `now` in ms since the epoch, `dice` a number in [0, 1). */
export interface Ending<Memory> {
  readonly now: number;
  readonly dice: number;
  /** The memory at the start of the action. */
  readonly before: Memory;
}

/** An object with a run of its own. */
export interface RelatedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The rules of one kind, without clock, network and Temporal. Memories and actions are plain JSON. */
export interface Entity<Snapshot extends Seen, Memory, Action, Answer> {
  /** The shape of this kind's part of a snapshot. */
  readonly snapshot: Shape;
  /**
   * The first memory, made from the object alone, so that a lost Temporal database does no harm. `before`: memory of a
   * deleted object of the same name.
   */
  readonly begin: (seen: Snapshot, before?: Memory) => Memory;
  /** The same for a memory that starts again, from the snapshot of the same object; `begin` where it is absent. */
  readonly begunAgain?: (before: Memory, seen: Snapshot) => Memory;
  /** Takes in a newer snapshot of the same object. */
  readonly absorb: (memory: Memory, seen: Snapshot) => Memory;
  /** Adds when a snapshot was taken in (`now`, ms since the epoch) to the memory after it, for kinds that show that. */
  readonly dated?: (memory: Memory, before: Memory, now: number) => Memory;
  readonly nextStep: (memory: Memory, moment: Moment) => Step<Memory, Action>;
  /** Records that an action starts, at `now` (ms since the epoch): what is shown while it runs. */
  readonly start?: (memory: Memory, action: Action, now: number) => Memory;
  readonly record: (memory: Memory, action: Action, outcome: Outcome<Answer>, at: Ending<Memory>) => Memory;
  readonly show: (memory: Memory) => Shown;
  /** Records that the object shows this now. */
  readonly taken?: (memory: Memory, shown: Shown) => Memory;
  /** An action for an object that was deleted although it had our finalizer. */
  readonly afterVanishing?: (memory: Memory) => Action | undefined;
  /** False: the running action is cancelled. Kinds without it cancel none. */
  readonly stillWanted?: (memory: Memory, action: Action) => boolean;
  /** Why `stillWanted` is false, in words, for kinds with operations: their runs show it. */
  readonly cancellationReason?: (memory: Memory, action: Action) => string | undefined;
  /** What lists of runs show; kinds without it are listed by the state that they show. */
  readonly listed?: (memory: Memory) => Listed;
  /** The objects of other runs that a reader of this one looks for. */
  readonly related?: (memory: Memory) => readonly RelatedObject[];
  /** Describes an action for the Web UI. */
  readonly summaryOf: (action: Action) => string;
  /** What a snapshot has changed, for the row of the view that follows it; '' for nothing that people look for. */
  readonly changeInWords?: (before: Memory, after: Memory) => string;
  /** A paragraph for the Web UI: what the object is and what it waits for. */
  readonly detailsOf: (memory: Memory, waitingFor: string) => Markdown;
  /**
   * What comes after the current action or wait, in words; '' when that is not known. `until`: the end of a wait for a
   * time, in ms since the epoch. Kinds without it show that time alone.
   */
  readonly nextInWords?: (memory: Memory, until?: number) => string;
  /** Lines that end the details: what people have asked for, and can ask now. */
  readonly messagesOf?: (memory: Memory) => readonly Markdown[];
}
