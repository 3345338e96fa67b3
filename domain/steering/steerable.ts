import type { FollowedAnnotation } from './history.ts';
import type { SteeringMessage } from './messages.ts';

type Annotations = Readonly<Record<string, string>>;

/** What a message changes on the object; the rest follows from the object, as when `kubectl` had changed it. */
export interface SteeringChange {
  /** null removes. */
  readonly annotations: Readonly<Record<string, string | null>>;
  readonly spec?: { readonly online: boolean };
}

/** What a kind adds to messages of people. Sending, writing and announcing them is the same for all kinds. */
export interface Steerable<Facts extends { readonly annotations: Annotations }> {
  /** Why a message makes no sense for an object as it is now, and what would; undefined: it does. */
  readonly refusal: (object: Facts, message: SteeringMessage) => string | undefined;
  readonly change: (object: Facts, message: SteeringMessage) => SteeringChange;
  readonly followed: readonly FollowedAnnotation[];
}

/** The changes that remove those of these annotations that the object has. */
export const ended = (annotations: Annotations, ...keys: readonly string[]): Record<string, null> =>
  Object.fromEntries(keys.filter((key) => key in annotations).map((key) => [key, null]));

/** The annotations after a change. */
export const changed = (annotations: Annotations, change: SteeringChange['annotations']): Annotations =>
  Object.fromEntries(
    Object.entries({ ...annotations, ...change }).flatMap(([key, value]) => (value === null ? [] : [[key, value]])),
  );
