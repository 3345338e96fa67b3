import type { Sender } from './gate.ts';

/**
 * Right before the server sees the n-th write of this kind of a process about an object, or right after the server did
 * it.
 */
export interface Point {
  readonly sender: Sender;
  /** As `labelOf` says it. */
  readonly kind: string;
  /** 1 for the first of its kind. */
  readonly nth: number;
  readonly side: 'before' | 'after';
}

/** What each process sent about an object, in words, in order. */
export type Sent = Readonly<Record<Sender, readonly string[]>>;

export const inWords = ({ sender, kind, nth, side }: Point): string => `${side} write ${nth} '${kind}' of ${sender}`;

const SENDERS: readonly Sender[] = ['bridge', 'workers'];

export const countOf = (kind: string, sent: readonly string[]): number => sent.filter((label) => label === kind).length;

/** The points that all of these objects passed, in the order of the first. */
export function pointsOf(objects: readonly Sent[]): readonly Point[] {
  const [first] = objects;
  if (first === undefined) return [];
  return SENDERS.flatMap((sender) =>
    first[sender].flatMap((kind, at): readonly Point[] => {
      const nth = countOf(kind, first[sender].slice(0, at + 1));
      if (objects.some((sent) => countOf(kind, sent[sender]) < nth)) return [];
      return [
        { sender, kind, nth, side: 'before' },
        { sender, kind, nth, side: 'after' },
      ];
    }),
  );
}

export interface Played {
  /** The points at which a process was killed, in words. */
  readonly killed: readonly string[];
  /** Those that no host reached, each with the reason. */
  readonly missed: readonly string[];
}

/** Why an object whose process was not killed at the point did not reach it; it sent this. */
export function whyMissed({ sender, kind, nth }: Point, sent: Sent): string {
  const count = countOf(kind, sent[sender]);
  if (count >= nth) return 'the server had no answer for this write, because another host had the process killed';
  return `${sender} sent ${count === 0 ? 'none' : `only ${count}`} of them, because several changes were written as one`;
}

/**
 * Points that a host must reach, sooner or later: the later writes of a kind may become one, an Event about what was
 * done before may come late, and Ironic is asked to provide a server only once, in the first life of its host.
 */
export const mustBeReached = ({ kind, nth }: Point): boolean => nth === 1 && !NOT_ALWAYS.includes(kind);

const NOT_ALWAYS: readonly string[] = ['POST events', 'PUT nodes/states/provision provide'];

/** With more than half of the points missed, a run shows little of what kills do. */
export const isMostlyMissed = ({ killed, missed }: Played): boolean => missed.length > killed.length;
