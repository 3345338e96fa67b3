import { filledText, object, type Shape, text, whole } from '../message/shape.ts';

/** Of the signal `slotAsked`. The fixture's limit is the greatest number there is. */
export const slotRequest: Shape = object({
  holder: filledText,
  ticket: filledText,
  nodeId: text,
  uid: filledText,
  limit: whole(1),
});
