import { REQUEST_ANNOTATION } from '../../api/baremetalhost/values.ts';

/** Why a request is not sent: its mark can't be written. */
export const notMarkedInWords = (refusal: string): string => `${NOT_MARKED}: ${refusal}`;

const NOT_MARKED = `nothing is sent to Ironic, because the annotation ${REQUEST_ANNOTATION} can't be written`;

/** The part of an answer which says that; undefined: it says something else. */
export function notMarkedIn(answer: string): string | undefined {
  const at = answer.indexOf(NOT_MARKED);
  return at < 0 ? undefined : answer.slice(at);
}
