import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** A short text that stands for a long one: six bits of its SHA-256 for each character. */
export const markOf = (text: string, length: number): string =>
  [...sha256(utf8ToBytes(text)).subarray(0, length)].map((byte) => ALPHABET[byte & 63] ?? '').join('');

/** 66 bits: nobody can construct a name with the mark of another one. */
const NAME_LENGTH = 11;
const SIGN = '#';

export const isShort = (name: string): boolean => name.startsWith(SIGN);

/** What stands for a name: a lock finds a name by it, and keeps only this when it has too many names. */
export const shortName = (name: string): string => (isShort(name) ? name : `${SIGN}${markOf(name, NAME_LENGTH)}`);

const UID_LENGTH = 6;
const RANDOM_LENGTH = 12;

/** The ticket of a request: that it is of this object, and a random text, such as a UUID. */
export const ticketOf = (uid: string, random: string): string =>
  `${markOf(uid, UID_LENGTH)}${random.replaceAll('-', '').slice(0, RANDOM_LENGTH)}`;

/** False for the ticket of a recreated object of the same name. */
export const isTicketOf = (ticket: string, uid: string): boolean => ticket.startsWith(markOf(uid, UID_LENGTH));
