import { flag, list, object, optional, plainText, type Shape, whole } from '../message/shape.ts';

/** `baremetalhost/<63 characters>/<253 characters>` */
const LONGEST_ID = 340;
const LONGEST_UID = 64;
const LONGEST_TICKET = 40;
/** Steps, two names of 317 characters with an object or a label, and a label's value. */
const LONGEST_BUDGET = 1_024;
/** Budgets in a request: more than the 20 that host, machine, Cluster and Namespace may each have. */
const MOST_NEEDS = 100;
/** Tickets in one message. */
const MOST_TICKETS = 1_000;

/** The shape of the signal `placeRequested`. The limit of the fixture's slots is the greatest safe integer. */
export const placeRequest: Shape = object({
  holder: plainText(LONGEST_ID),
  uid: plainText(LONGEST_UID),
  ticket: plainText(LONGEST_TICKET),
  needs: list(object({ budget: plainText(LONGEST_BUDGET), limit: whole(1) }), MOST_NEEDS),
  underway: flag,
  isForgotten: optional(flag),
  nodeId: optional(plainText(LONGEST_UID, 0)),
});

/** The shape of the signal `placesReturned`. */
export const returnedTickets: Shape = list(plainText(LONGEST_TICKET), MOST_TICKETS);
