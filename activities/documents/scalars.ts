/** A scalar in YAML 1.1 as go-yaml v2, and so upstream, resolves it. Large integers stay exact: they may be keys. */
export type ScalarValue = string | number | bigint | boolean | null;

const spelled = (value: ScalarValue, ...words: readonly string[]): readonly (readonly [string, ScalarValue])[] =>
  words.map((word) => [word, value]);

const WORDS: ReadonlyMap<string, ScalarValue> = new Map([
  ...spelled(true, 'y', 'Y', 'yes', 'Yes', 'YES', 'true', 'True', 'TRUE', 'on', 'On', 'ON'),
  ...spelled(false, 'n', 'N', 'no', 'No', 'NO', 'false', 'False', 'FALSE', 'off', 'Off', 'OFF'),
  ...spelled(null, '', '~', 'null', 'Null', 'NULL'),
  ...spelled(Number.NaN, '.nan', '.NaN', '.NAN'),
  ...spelled(Number.POSITIVE_INFINITY, '.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF'),
  ...spelled(Number.NEGATIVE_INFINITY, '-.inf', '-.Inf', '-.INF'),
]);

const INTEGER = /^([-+]?)(?:0[xX]([0-9a-fA-F]+)|0[bB]([01]+)|0[oO]?([0-7]+)|(0|[1-9][0-9]*))$/;
const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;
const POINT_FIRST = /^\.[0-9](_?[0-9])*([eE][-+]?[0-9](_?[0-9])*)?$/;
/** More digits are no integer of 64 bits in any base. */
const MOST_DIGITS = 70;

/** The value of a scalar without quotes and without a tag. */
export function plainValue(text: string): ScalarValue {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (POINT_FIRST.test(text)) return finite(text.replaceAll('_', '')) ?? text;
  if (!/^[-+0-9]/.test(text)) return text;
  const digits = text.replaceAll('_', '');
  return integer(digits) ?? (FLOAT.test(digits) ? finite(digits) : undefined) ?? text;
}

/** A number that is too large for a float is a text. */
function finite(digits: string): number | undefined {
  const value = Number(digits);
  return Number.isFinite(value) ? value : undefined;
}

/** Of 64 bits: with a sign, or without. */
function integer(text: string): bigint | undefined {
  const [, sign, hex, binary, octal, decimal] = (text.length <= MOST_DIGITS && INTEGER.exec(text)) || [];
  const size = [hex && `0x${hex}`, binary && `0b${binary}`, octal && `0o${octal}`, decimal].find(Boolean);
  if (size === undefined || size === '') return undefined;
  const value = BigInt(size);
  if (sign === '-') return value <= 2n ** 63n ? -value : undefined;
  return value < 2n ** (sign === '+' ? 63n : 64n) ? value : undefined;
}

const YAML = 'tag:yaml.org,2002:';
const TIMESTAMP = /^\d{4}-\d{1,2}-\d{1,2}(?:[Tt ]\d{1,2}:\d{1,2}:\d{1,2}(?:\.\d+)?(?:Z|[-+]\d{2}:\d{2})?)?$/;

const typeName = (value: ScalarValue): string => {
  if (value === null) return 'null';
  return typeof value === 'bigint'
    ? 'int'
    : typeof value === 'number'
      ? 'float'
      : typeof value === 'boolean'
        ? 'bool'
        : 'str';
};

/** The value of a scalar with a tag, quoted or not; undefined: it is no value of that type. Unknown tags make texts. */
export function taggedValue(tag: string, text: string): ScalarValue | undefined {
  const type = tag.startsWith(YAML) ? tag.slice(YAML.length) : '';
  switch (type) {
    case 'binary':
      return decoded(text);
    case 'timestamp':
      return TIMESTAMP.test(text) ? text : undefined;
    case 'int':
    case 'float':
    case 'bool':
    case 'null': {
      const value = plainValue(text);
      if (type === 'float' && typeof value === 'bigint') return value < 2n ** 63n ? Number(value) : undefined;
      return typeName(value) === type ? value : undefined;
    }
    default:
      return text;
  }
}

/** Base64 with its padding; line breaks are allowed in it. */
function decoded(text: string): string | undefined {
  const plain = text.replaceAll(/[\r\n]/g, '');
  const isBase64 = plain.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(plain);
  return isBase64 ? Buffer.from(plain, 'base64').toString('utf8') : undefined;
}

/** The key of a JSON object that upstream makes of it; undefined: upstream refuses such a key. */
export function keyText(value: ScalarValue): string | undefined {
  if (value === null) return undefined;
  if (typeof value === 'number') return floatText(value);
  if (typeof value === 'bigint' && value >= 2n ** 63n) return undefined;
  return String(value);
}

const BEYOND: Readonly<Record<string, string>> = { Infinity: '.inf', '-Infinity': '-.inf', NaN: '.nan' };

/** The shortest digits that are the same number in 32 bits, with an exponent below 1e-4 and from 1e6. */
function floatText(value: number): string {
  const single = Math.fround(value);
  const special = BEYOND[String(single)];
  if (special !== undefined) return special;
  if (single === 0) return Object.is(single, -0) ? '-0' : '0';
  let digits = 1;
  while (digits < 9 && Math.fround(Number(single.toPrecision(digits))) !== single) digits++;
  const [mantissa = '', power = '0'] = single.toExponential(digits - 1).split('e');
  const exponent = Number(power);
  if (exponent >= -4 && exponent < 6) return String(Number(`${mantissa}e${exponent}`));
  return `${mantissa}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}
