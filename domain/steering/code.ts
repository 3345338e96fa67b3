import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { canonical } from '../canonical.ts';

/** Half of a SHA-256: long enough that nobody can construct two wishes with the same code. */
const CHARACTERS = 32;

/**
 * The code that an approval names: the step, and a digest of host, step and wish. Another wish, or another host, has
 * another code.
 */
export function codeOf(uid: string, step: string, wish: unknown): string {
  const text = JSON.stringify(canonical([uid, step, wish]));
  return `${step}-${bytesToHex(sha256(utf8ToBytes(text))).slice(0, CHARACTERS)}`;
}

/** The step that an approval is for. */
export const stepOf = (code: string): string => code.slice(0, -CHARACTERS - 1);

const CODE = new RegExp(`^[a-z]+(-[a-z]+)*-[0-9a-f]{${CHARACTERS}}$`);
export const isCode = (text: string): boolean => CODE.test(text);
