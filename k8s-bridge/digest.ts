import { createHash } from 'node:crypto';
import { canonical } from '../domain/canonical.ts';
import { LONGEST_TEXT } from '../domain/message/shape.ts';

/** A digest of plain JSON; the order of keys does not matter, and undefined equals absent. */
export const digestOf = (value: unknown): string => hashOf(canonical(value));

/** Like `digestOf`, but null equals absent too, as in merge patches. */
export const digestOfStatus = (status: unknown): string =>
  hashOf(canonical(status, (each) => each !== undefined && each !== null));

/**
 * A text that people write without a limit, such as an annotation, as a snapshot has it: one that is too long for a
 * message is cut and gets its digest, so that another text remains another text.
 */
export const messageText = (text: string): string =>
  text.length <= LONGEST_TEXT ? text : `${text.slice(0, KEPT_OF_LONG).toWellFormed()}… ${digestOf(text)}`;

const KEPT_OF_LONG = 1_000;

const hashOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value) ?? '')
    .digest('base64url');
