import { filledText, flag, list, object, optional, type Shape, whole } from '../message/shape.ts';

/** Limit of budgets in a request: more than the 20 that host, machine, Cluster and Namespace may each have. */
const MOST_NEEDS = 100;

/** The shape of the signal `placeAsked`. */
export const placeRequest: Shape = object({
  holder: filledText,
  uid: filledText,
  ticket: filledText,
  needs: list(object({ budget: filledText, limit: whole(1) }), MOST_NEEDS),
  underway: flag,
  isForgotten: optional(flag),
});
