import { filledText, flag, nullable, object, optional, type Shape, text, whole } from '../message/shape.ts';

const order = object({ epoch: whole(0), number: whole(0), essence: optional(text) });

/** The fields of every snapshot. */
const seen = object({
  namespace: text,
  name: filledText,
  uid: filledText,
  resourceVersion: text,
  versionsSince: optional(whole(0)),
  generation: whole(0),
  creationTimestamp: text,
  deletionTimestamp: optional(text),
});

/** The shape of the signal `observed`; `kind` is the shape of the kind's part of a snapshot. */
export const observationOf =
  (kind: Shape): Shape =>
  (value, at) =>
    object({ snapshot: seen, order, anew: optional(flag), reset: optional(text) })(value, at) ??
    object({ snapshot: kind })(value, at);

/** The shape of the signal `vanished`. */
export const vanishing: Shape = object({ uid: filledText });

/** The shape of the signal `requestFailing`. */
export const failingRequest: Shape = nullable(object({ what: text, since: text, attempts: whole(1), answer: text }));
