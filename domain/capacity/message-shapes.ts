import { filledText, object, type Shape, text, whole } from '../message/shape.ts';

/** The shape of the signal `slotAsked`. The fixture's limit is the greatest safe integer. */
export const slotRequest: Shape = object({
  holder: filledText,
  ticket: filledText,
  nodeId: text,
  uid: filledText,
  limit: whole(1),
});
