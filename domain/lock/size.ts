import type { Applicant } from './lock.ts';

/** Characters of what stands for a name. */
export const SHORT_NAME = 12;
/** Quotes and comma of a text in JSON. */
export const AROUND = 3;
/** Brackets, commas and the number of the marks of a row (`bound.ts`). */
const ROW = 12;

/** The applicant with its size. */
export function sized(applicant: Omit<Applicant, 'size'>): Applicant {
  const { ticket, needs, group, node } = applicant;
  const numbers = needs.reduce((sum, [budget, limit]) => sum + `${budget},${limit},`.length, 0);
  return { ...applicant, size: ROW + numbers + SHORT_NAME + ticket.length + group.length + node.length + 4 * AROUND };
}
