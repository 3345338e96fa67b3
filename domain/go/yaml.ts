import { compareKeys } from './yaml-keys.ts';
import { isBreak, styleOf } from './yaml-scalar.ts';
import { YamlWriter } from './yaml-writer.ts';

export type YamlValue = string | number | boolean | null | readonly YamlValue[] | { readonly [key: string]: YamlValue };

/** A text that can't be written as YAML, in Go's words. */
export class YamlProblem extends Error {
  override readonly name = 'YamlProblem';
}

/**
 * A map as sigs.k8s.io/yaml v1.6.0 marshals it (go-yaml v2.4.3 at work), byte for byte: what machines read in their
 * config drives must not change when the software that writes it does. The `yaml` package has other rules for quoting,
 * order of keys and line breaks.
 */
export function toGoYaml(map: { readonly [key: string]: YamlValue }): string {
  const writer = new YamlWriter();
  writeValue(writer, map, { indent: -INDENT, isValueOfKey: false });
  writer.startLine(0);
  return writer.text;
}

const INDENT = 2;
/** In bytes; a longer key gets a line of its own. */
const LONGEST_SIMPLE_KEY = 128;

interface Place {
  /** Of the block this is part of. */
  readonly indent: number;
  readonly isValueOfKey: boolean;
}

function writeValue(writer: YamlWriter, value: YamlValue, place: Place): void {
  const scalarIndent = Math.max(place.indent, 0) + INDENT;
  if (typeof value === 'string') {
    const text = throughJson(value);
    writer.scalar(text, styleOf(text, { isSimpleKey: false }), scalarIndent, true);
  } else if (value === null) writer.scalar('null', 'plain', scalarIndent, true);
  else if (typeof value === 'boolean') writer.scalar(String(value), 'plain', scalarIndent, true);
  else if (typeof value === 'number') writer.scalar(numberText(value), 'plain', scalarIndent, true);
  else if (isList(value)) writeList(writer, value, place);
  else writeMap(writer, value, place);
}

const isList = (value: YamlValue): value is readonly YamlValue[] => Array.isArray(value);

function writeList(writer: YamlWriter, items: readonly YamlValue[], { indent, isValueOfKey }: Place): void {
  if (items.length === 0) return writer.mark('[]', { isApart: true, indents: false });
  // The items of a list behind a key stand below the key itself.
  const own = isValueOfKey && !writer.holdsOnlyIndentation ? indent : indent + INDENT;
  for (const item of items) {
    writer.startLine(own);
    writer.mark('-', { isApart: true, indents: true });
    writeValue(writer, item, { indent: own, isValueOfKey: false });
  }
}

function writeMap(writer: YamlWriter, map: { readonly [key: string]: YamlValue }, { indent }: Place): void {
  const entries = Object.entries(map).map(([key, value]) => [throughJson(key), value] as const);
  if (entries.length === 0) return writer.mark('{}', { isApart: true, indents: false });
  const own = indent + INDENT;
  for (const [key, value] of entries.toSorted(([a], [b]) => compareKeys(a, b))) {
    writer.startLine(own);
    if (isSimpleKey(key)) {
      writer.scalar(key, styleOf(key, { isSimpleKey: true }), own + INDENT, false);
      writer.mark(':', { isApart: false, indents: false });
    } else {
      writer.mark('?', { isApart: true, indents: true });
      writer.scalar(key, styleOf(key, { isSimpleKey: false }), own + INDENT, true);
      writer.startLine(own);
      writer.mark(':', { isApart: true, indents: true });
    }
    writeValue(writer, value, { indent: own, isValueOfKey: true });
  }
}

const isSimpleKey = (key: string): boolean =>
  !Array.from(key).some(isBreak) && new TextEncoder().encode(key).length <= LONGEST_SIMPLE_KEY;

const REFUSED = /[\u007F-\u0084\u0086-\u009F\uFFFE\uFFFF]/;

/** sigs.k8s.io/yaml goes by way of JSON, which it reads as YAML: there some characters are refused, others are folded. */
function throughJson(text: string): string {
  if (REFUSED.test(text)) throw new YamlProblem('yaml: control characters are not allowed');
  return text.replaceAll(/ *\u0085[ \u0085]*/g, (run) => {
    const breaks = run.split('\u0085').length - 1;
    return breaks === 1 ? ' ' : '\n'.repeat(breaks - 1);
  });
}

/** Whole numbers of up to 64 bits as they are, others as Go's `%g` has them. */
function numberText(value: number): string {
  if (Number.isInteger(value) && value < 2 ** 64 && value >= -(2 ** 63)) return BigInt(value).toString();
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(value);
  return `${digits}e${power < 0 ? '-' : '+'}${String(Math.abs(power)).padStart(2, '0')}`;
}
