import { quote } from './quote.ts';

/** Parses JSON like Go's decoder, with Go's error messages: users see them for annotations. */
export type ReadJson =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly message: string };

/** Reads the whole text or, with `first value`, only the first value in it. */
export function readJson(text: string, extent: 'whole' | 'first value'): ReadJson {
  try {
    const start = skipSpace(text, 0);
    const end = readValue(text, start);
    const after = skipSpace(text, end);
    if (extent === 'whole' && after < text.length) throw unexpected(text, after, 'after top-level value');
    return { ok: true, value: JSON.parse(text.slice(start, end)) as unknown };
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error;
    if (!error.atEnd || extent === 'whole') return { ok: false, message: error.message };
    return { ok: false, message: skipSpace(text, 0) === text.length ? 'EOF' : 'unexpected EOF' };
  }
}

class JsonProblem extends Error {
  override readonly name = 'JsonProblem';
  /** The text is valid so far but incomplete. */
  readonly atEnd: boolean;

  constructor(message: string, atEnd = false) {
    super(message);
    this.atEnd = atEnd;
  }
}

/** Go's maximum depth. */
const DEEPEST = 10_000;

type Frame = { readonly kind: 'object' | 'array' };

/** Returns the end of the value that begins at `start`. Uses its own stack, because the sender chooses the depth. */
function readValue(text: string, start: number): number {
  const stack: Frame[] = [];
  let at = start;
  for (;;) {
    const char = text[at];
    if (char === '{' || char === '[') {
      stack.push({ kind: char === '{' ? 'object' : 'array' });
      if (stack.length > DEEPEST) throw new JsonProblem('exceeded max depth');
      at = skipSpace(text, at + 1);
      const isEmpty = text[at] === (char === '{' ? '}' : ']');
      if (!isEmpty) {
        if (char === '{') at = readKey(text, at);
        continue;
      }
      stack.pop();
      at += 1;
    } else at = readScalar(text, at);
    const next = afterValue(text, at, stack);
    if (next.isEnd) return next.at;
    at = next.at;
  }
}

/** Closes what ends here and continues with the next value. */
function afterValue(text: string, from: number, stack: Frame[]): { readonly at: number; readonly isEnd: boolean } {
  let at = from;
  for (;;) {
    const frame = stack.at(-1);
    if (frame === undefined) return { at, isEnd: true };
    at = skipSpace(text, at);
    const isObject = frame.kind === 'object';
    if (text[at] === ',') {
      at = skipSpace(text, at + 1);
      return { at: isObject ? readKey(text, at) : at, isEnd: false };
    }
    if (text[at] !== (isObject ? '}' : ']')) {
      throw unexpected(text, at, isObject ? 'after object key:value pair' : 'after array element');
    }
    stack.pop();
    at += 1;
  }
}

/** Returns where the value of the key begins. */
function readKey(text: string, at: number): number {
  if (text[at] !== '"') throw unexpected(text, at, 'looking for beginning of object key string');
  const colon = skipSpace(text, readString(text, at));
  if (text[colon] !== ':') throw unexpected(text, colon, 'after object key');
  return skipSpace(text, colon + 1);
}

function readScalar(text: string, at: number): number {
  const char = text[at] ?? '';
  if (char === '"') return readString(text, at);
  const word = WORDS.find((candidate) => candidate.startsWith(char) && char !== '');
  if (word !== undefined) return readWord(text, at, word);
  if (char === '-' || isDigit(char)) return readNumber(text, at);
  throw unexpected(text, at, 'looking for beginning of value');
}

const WORDS = ['true', 'false', 'null'];

function readWord(text: string, start: number, word: string): number {
  for (let index = 1; index < word.length; index += 1) {
    const expected = word.charAt(index);
    if (text[start + index] !== expected) {
      throw unexpected(text, start + index, `in literal ${word} (expecting '${expected}')`);
    }
  }
  return start + word.length;
}

function readString(text: string, start: number): number {
  let at = start + 1;
  for (;;) {
    const char = text[at];
    if (char === '"') return at + 1;
    if (char === undefined || char < ' ') throw unexpected(text, at, 'in string literal');
    at += char === '\\' ? readEscape(text, at + 1) : 1;
  }
}

/** Returns the length of the escape, including the backslash. */
function readEscape(text: string, at: number): number {
  const char = text[at] ?? '';
  if (char !== 'u') {
    if (char === '' || !'"\\/bfnrt'.includes(char)) throw unexpected(text, at, 'in string escape code');
    return 2;
  }
  for (let index = 1; index <= 4; index += 1) {
    if (!/^[0-9a-f]$/i.test(text[at + index] ?? '')) {
      throw unexpected(text, at + index, 'in \\u hexadecimal character escape');
    }
  }
  return 6;
}

function readNumber(text: string, start: number): number {
  let at = start;
  if (text[at] === '-') at += 1;
  if (!isDigit(text[at])) throw unexpected(text, at, 'in numeric literal');
  at = text[at] === '0' ? at + 1 : skipDigits(text, at);
  if (text[at] === '.') {
    if (!isDigit(text[at + 1])) throw unexpected(text, at + 1, 'after decimal point in numeric literal');
    at = skipDigits(text, at + 1);
  }
  if (text[at] === 'e' || text[at] === 'E') {
    at += text[at + 1] === '+' || text[at + 1] === '-' ? 2 : 1;
    if (!isDigit(text[at])) throw unexpected(text, at, 'in exponent of numeric literal');
    at = skipDigits(text, at);
  }
  return at;
}

const isDigit = (char: string | undefined): boolean => char !== undefined && /^\d$/.test(char);

function skipDigits(text: string, from: number): number {
  let at = from;
  while (isDigit(text[at])) at += 1;
  return at;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (' \t\r\n'.includes(text[at] ?? 'x')) at += 1;
  return at;
}

/** Where a space is allowed, the text is only incomplete; elsewhere Go reports an invalid space. */
const SPACE_WOULD_DO = /^(?:after|looking for|in string literal)(?! decimal)/;

/** Go works on bytes: of a non-ASCII character it reports the first byte. */
function unexpected(text: string, at: number, where: string): JsonProblem {
  const char = text.codePointAt(at);
  if (char === undefined && SPACE_WOULD_DO.test(where)) return new JsonProblem('unexpected end of JSON input', true);
  const [byte = 0] = new TextEncoder().encode(String.fromCodePoint(char ?? 0x20));
  return new JsonProblem(`invalid character ${quoteChar(String.fromCharCode(byte))} ${where}`, char === undefined);
}

function quoteChar(char: string): string {
  if (char === "'") return String.raw`'\''`;
  return char === '"' ? `'"'` : `'${quote(char).slice(1, -1)}'`;
}
