/** How go-yaml v2 looks at a text before it writes it: what a reader would take it for, and how it may be written. */

export type ScalarStyle = 'plain' | 'single-quoted' | 'double-quoted' | 'literal';

export interface ScalarPlace {
  /** A key that stands before its colon on one line. */
  readonly isSimpleKey: boolean;
}

export function styleOf(text: string, { isSimpleKey }: ScalarPlace): ScalarStyle {
  const look = lookAt(text);
  const wish: ScalarStyle = text.includes('\n') ? 'literal' : isPlainText(text) ? 'plain' : 'double-quoted';
  if (isSimpleKey && look.isMultiline) return 'double-quoted';
  if (wish === 'literal') return look.mayBeLiteral && !isSimpleKey ? 'literal' : 'double-quoted';
  if (wish === 'double-quoted' || (look.mayBePlain && !(text === '' && isSimpleKey))) return wish;
  return look.mayBeSingleQuoted ? 'single-quoted' : 'double-quoted';
}

/** False for what would be read back as something else than a text when written without quotes. */
export function isPlainText(text: string): boolean {
  if (BASE_60.test(text)) return false;
  if (text === '' || WORDS.has(text)) return false;
  const first = text.charAt(0);
  if (first === '.') return !DOT_FLOAT.test(text) || !Number.isFinite(toNumber(text));
  if (!/[-+0-9]/.test(first)) return true;
  return !isTimestamp(text) && !isNumber(text.replaceAll('_', ''));
}

const BASE_60 = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;
const CASES = (word: string): string[] => [word, word.charAt(0).toUpperCase() + word.slice(1), word.toUpperCase()];
const WORDS = new Set([
  ...['y', 'yes', 'true', 'on', 'n', 'no', 'false', 'off', 'null'].flatMap(CASES),
  '~',
  ...['', '+', '-'].flatMap((sign) => ['.inf', '.Inf', '.INF'].map((word) => sign + word)),
  '.nan',
  '.NaN',
  '.NAN',
]);
const DOT_FLOAT = /^\.[0-9](?:_?[0-9])*(?:[eE][-+]?[0-9](?:_?[0-9])*)?$/;
const FLOAT = /^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$/;
const PREFIXED = /^([-+]?)(0[xX][0-9a-fA-F]+|0[bB][01]+|0[oO][0-7]+|0[0-7]+)$/;
const SIGNED_BINARY = /^0b[-+]([01]+)$/;

const toNumber = (text: string): number => Number(text.replaceAll('_', ''));

/** `text` begins with a digit or a sign and has no underscores. */
function isNumber(text: string): boolean {
  const signedBinary = SIGNED_BINARY.exec(text);
  if (signedBinary?.[1] !== undefined) return fits(BigInt(`0b${signedBinary[1]}`), text.charAt(2));
  const prefixed = PREFIXED.exec(text);
  if (prefixed?.[2] !== undefined) {
    const digits = /^0[0-7]/.test(prefixed[2]) ? `0o${prefixed[2].slice(1)}` : prefixed[2].toLowerCase();
    if (fits(BigInt(digits), prefixed[1] ?? '')) return true;
  }
  return FLOAT.test(text) && Number.isFinite(Number(text));
}

/** In 64 bits; a sign costs one of them. */
function fits(size: bigint, sign: string): boolean {
  if (sign === '') return size < 2n ** 64n;
  return size < 2n ** 63n || (sign === '-' && size === 2n ** 63n);
}

const TIMESTAMP =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:(?:[Tt](\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?(?:Z|[-+](\d{2}):(\d{2})))| +(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,]\d+)?)?$/;

function isTimestamp(text: string): boolean {
  const match = TIMESTAMP.exec(text);
  if (match === null) return false;
  const [year = 0, month = 0, day = 0, ...rest] = match.slice(1).map(Number);
  const [hour, minute, second, zoneHour, zoneMinute, hour2, minute2, second2] = rest.map((value) => value || 0);
  const isClock = (h = 0, m = 0, s = 0): boolean => h < 24 && m < 60 && s < 60;
  const isZone = (zoneHour ?? 0) <= 24 && (zoneMinute ?? 0) < 60;
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return false;
  return isClock(hour, minute, second) && isClock(hour2, minute2, second2) && isZone;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

interface Look {
  readonly isMultiline: boolean;
  readonly mayBePlain: boolean;
  readonly mayBeSingleQuoted: boolean;
  readonly mayBeLiteral: boolean;
}

export const isBreak = (char: string): boolean => /^[\r\n\u0085\u2028\u2029]$/.test(char);
/** Characters beyond the first plane count as not printable there. */
export const isPrintable = (char: string): boolean => /^[\n -~\u00A0-\uD7FF\uE000-\uFEFE\uFF00-\uFFFD]$/.test(char);

function lookAt(text: string): Look {
  const chars = Array.from(text);
  const isMultiline = chars.some(isBreak);
  const hasSpecial = !chars.every(isPrintable);
  const next = (index: number): string => chars[index + 1] ?? '';
  const breakThenSpace = chars.some((char, index) => isBreak(char) && next(index) === ' ');
  const spaceThenBreak = chars.some((char, index) => char === ' ' && isBreak(next(index)));
  const last = chars.at(-1) ?? '';
  const edges = [chars[0] ?? '', last].some((char) => char === ' ' || isBreak(char));
  return {
    isMultiline,
    mayBePlain: !edges && !isMultiline && !hasSpecial && !hasIndicator(chars),
    mayBeSingleQuoted: !breakThenSpace && !spaceThenBreak && !hasSpecial,
    mayBeLiteral: text !== '' && last !== ' ' && !spaceThenBreak && !hasSpecial,
  };
}

const FIRST = /^[#,[\]{}&*!|>'"%@`]/;

/** Something that would begin another thing than a text, outside of brackets. */
function hasIndicator(chars: readonly string[]): boolean {
  const start = chars.slice(0, 3).join('');
  if (start === '---' || start === '...' || FIRST.test(start)) return true;
  return chars.some((char, index) => {
    const after = chars[index + 1];
    const endsWord = after === undefined || after === ' ' || after === '\t';
    if (char === ':') return endsWord;
    if (index === 0) return (char === '?' || char === '-') && endsWord;
    return char === '#' && /^[ \t\r\n\0\u0085\u2028\u2029]$/.test(chars[index - 1] ?? '');
  });
}
