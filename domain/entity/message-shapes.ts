import { filledText, flag, nullable, object, optional, type Shape, text, whole } from '../message/shape.ts';

const order = object({ epoch: whole(0), number: whole(0), essence: optional(text) });

/** What every snapshot tells of its object. */
const seen = object({
  namespace: text,
  name: filledText,
  uid: filledText,
  resourceVersion: text,
  generation: whole(0),
  creationTimestamp: text,
  deletionTimestamp: optional(text),
});

/** Of the signal `observed`, with what a kind's snapshots have to look like beyond that. */
export const observationOf =
  (kind: Shape): Shape =>
  (value, at) =>
    object({ snapshot: seen, order, anew: optional(flag) })(value, at) ?? object({ snapshot: kind })(value, at);

/** Of the signal `vanished`. */
export const vanishing: Shape = object({ uid: filledText });

/** Of the signal `requestFailing`. */
export const failingRequest: Shape = nullable(object({ what: text, since: text, attempts: whole(1), answer: text }));
