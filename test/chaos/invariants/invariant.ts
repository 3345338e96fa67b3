import type { Happening } from '../happenings.ts';

/** What must never happen, whatever faults there are. */
export interface Invariant {
  readonly name: string;
  /** Takes in what happened next; returns what is wrong with it. */
  take(happening: Happening): readonly string[];
}

export const clock = (at: number): string => new Date(at).toISOString().slice(11, 23);
