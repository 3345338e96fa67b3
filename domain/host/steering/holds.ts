import { ANNOTATIONS, STEERING_ANNOTATIONS } from '../../../api/baremetalhost/values.ts';

/** Annotations that hold a host until a person removes them. */
export const HOLDS: readonly string[] = [
  ANNOTATIONS.paused,
  STEERING_ANNOTATIONS.quarantine,
  STEERING_ANNOTATIONS.abort,
];
